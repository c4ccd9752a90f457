/** Which of a list: so many, from so many on. */
export interface Part {
  readonly from: number;
  readonly most: number;
}

/** The offset of the part after this one, if there is one. */
export function nextOf({ from }: Part, given: number, total: number): { readonly next?: number } {
  const next = from + given;
  return next < total && given > 0 ? { next } : {};
}
