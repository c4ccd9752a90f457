/** The first row, of a table whose rows ascend by a column, that has no less than this there; or how many there are. */
export function firstRow(table: Int32Array, stride: number, column: number, least: number): number {
  let low = 0;
  let high = table.length / stride;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((table[middle * stride + column] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
