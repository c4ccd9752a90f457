/**
 * An attribute at a floor, in one number: the rank of the floor in the lowest bits, and above it the attribute, so that
 * without the floor it is where the attribute's row of cells begins (`cellStride`).
 */
export const floorMask = 7;
export const floorBits = 3;

export function dimensionOf(attribute: number, floor: number): number {
  return (attribute << floorBits) | floor;
}

export function attributeOf(dimension: number): number {
  return dimension >> floorBits;
}
