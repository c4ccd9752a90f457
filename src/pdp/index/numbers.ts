/** The number at a place of a list, which is filled up to there with another if it ends before. */
export function numberAt(list: number[], place: number, missing: number): number {
  while (list.length <= place) list.push(missing);
  return list[place] as number;
}
