/** A mistake: a snippet that stands once in a file, and what somebody might have written instead. */
export interface Mutant {
  name: string;
  file: string;
  original: string;
  mistake: string;
}

export function within(file: string, ...mistakes: readonly (readonly [string, string, string])[]): Mutant[] {
  return mistakes.map(([name, original, mistake]) => ({ name, file, original, mistake }));
}
