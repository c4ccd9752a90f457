/** Every bound on what is accepted, in one place. Each is tested at the limit and one above. */
export const limits = {
  /** SPIFFE ID standard §2.3: a trust domain has at most 255 bytes, a whole ID at most 2048. */
  trustDomainBytes: 255,
  spiffeIdBytes: 2048,
  /** A request's path, its query included. */
  pathBytes: 16_384,
  methodBytes: 64,
  /** RFC 1035 §2.3.4. */
  sniBytes: 253,
  /** Attributes of one side of a request, tags included. */
  attributes: 512,
  attributeKeyBytes: 512,
  attributeValueBytes: 4_096,
  /** Values of one tag in a request. */
  tagValues: 64,
  /** Prefixes that a source is complete for; pods that are named as sharing an identity. */
  completePrefixes: 32,
  sharingPods: 16,
  /** Names of meshes, dataplanes, services, inbounds in a request. */
  nameBytes: 253,
  /** One line of requests on the command line. */
  requestLineBytes: 1_048_576,
  /** One document file; one string in it; how deep it may nest; documents in it. */
  fileBytes: 67_108_864,
  stringBytes: 65_536,
  nesting: 64,
  documentsPerFile: 200_000,
  /** YAML alias expansions per document, and the values that they, or objects shared in a program, may add to it. */
  aliases: 1_000,
  aliasedValues: 100_000,
  /** Strings, numbers, lists and mappings of a JSON file; the parser's memory is proportional to them. */
  jsonValues: 10_000_000,
  /** Tokens of a YAML document (a key, a colon, an indentation each is one), for the same reason. */
  yamlTokens: 6_000_000,
  /** What is wrong with the text of one YAML document, of one file, with one request: more is said to be there, not listed. */
  violationsPerDocument: 100,
  violationsPerFile: 1_000,
  violationsPerRequest: 100,
  /** Values of one condition (`In`), conditions of one rule. */
  conditionValues: 10_000,
  conditionsPerRule: 128,
  /** Rules that one policy may lower to (`from` times `to`). */
  rulesPerPolicy: 200_000,
  /** Ways in which the clients of one inbound overlap, and steps taken to find them. */
  overlaps: 10_000,
  overlapWork: 2_000_000,
  /** One certificate, certificates beside a leaf, authorities of one bundle, signatures tried for one path. */
  certificateBytes: 16_384,
  intermediates: 8,
  authorities: 1_000,
  pathSteps: 32,
  tokenBytes: 16_384,
  /** Of a token between gateways: attributes, seconds from its making to its end, seconds by which clocks may differ. */
  tokenAttributes: 256,
  tokenLifeSeconds: 60,
  tokenSkewSeconds: 30,
  bundleBytes: 16_777_216,
  /** One message of the Workload API; fields in it; SVIDs and bundles that it may bring. */
  workloadMessageBytes: 4_194_304,
  workloadFields: 10_000,
  workloadSvids: 64,
  workloadBundles: 1_000,
  /** Decisions that one request may ask for; candidates that one page of a search looks at, and what it gives. */
  batchRequests: 1_000,
  searchCandidates: 2_000,
  searchResults: 1_000,
  pageTokenBytes: 32_768,
  /** A request to the service, if it is not configured otherwise; a header `x-forwarded-client-cert`, clients in it. */
  bodyBytes: 1_048_576,
  xfccBytes: 131_072,
  xfccElements: 16,
  /** What is still read of a body that was refused, so that whoever sends it hears of it. */
  lingerBytes: 16_777_216,
  /** Steps of comparing what tag permissions say with what they would become, in one mesh. */
  migrationSteps: 300_000_000,
  /** Steps of finding out, for all of its policies, whether clients to come could tell the difference. */
  newcomerSteps: 5_000_000,
} as const;
