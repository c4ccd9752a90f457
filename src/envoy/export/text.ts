/** Text order is by code unit, so that no locale has a say. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Literal text in a regex of RE2 (and of JavaScript, which reads what is written here alike). */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, (char) => (char === '/' ? char : `\\${char}`));
}
