/** Bounds of a verification. What exceeds them is not tried, and that is said. */
export const verifyLimits = {
  /** Requests on each way through a chain, unless more are asked for. */
  requests: 500_000,
  requestsAsked: 100_000_000,
  /** Comparisons that filters take: a list of 10,000 matchers takes so many for each request. */
  comparisons: 100_000_000,
  /** Identities that clients are made of, and those of them that also come in broken certificates. */
  identities: 50_000,
  broken: 40,
  /** Clients that are tried with all that one rule is about, and pairs of them with its requests. */
  nearest: 24,
  pairsPerRule: 2_000,
  /** Combinations of what tokens of one peer state; workloads that they are about. */
  tokens: 400,
  /** Tokens of one peer that are broken in every way. */
  brokenTokens: 6,
  /** Combinations of tags. */
  tagCertificates: 600,
  /** Texts of one sort (paths, methods, server names) that requests are made around. */
  texts: 5_000,
  /** What an admin interface may answer, and how long it may take. */
  dumpBytes: 268_435_456,
  dumpMilliseconds: 30_000,
} as const;
