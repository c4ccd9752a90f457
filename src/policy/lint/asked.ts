/** What only a question says of a destination (AuthZEN, SPEC AZ20): no document of the inventory has it. */
export const asked = ['action:', 'context:'] as const;

export function isAsked(key: string): boolean {
  return asked.some((scope) => key.startsWith(scope));
}
