/** Bounds of what is exported. Each is tested at the limit and one above. */
export const exportLimits = {
  /** Matchers within matchers: Envoy 1.40 takes about 40 and refuses 90. */
  depth: 40,
  /** Rules that govern one listener. */
  rules: 50_000,
  /** Distinct tags of the table form, which has a row for each of their combinations. */
  tableTags: 12,
  /** Exceptions of the items of one ordered list, all together. */
  excluded: 500_000,
} as const;
