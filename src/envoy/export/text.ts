/** Literal text in a regex of RE2 (and of JavaScript, which reads what is written here alike). */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, (char) => (char === '/' ? char : `\\${char}`));
}
