/** What one look at something came to. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** `a, b, c and 4 more` */
export function several(names: readonly string[], most = 3, between = ', '): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(between)} and ${rest} more` : names.join(between);
}
