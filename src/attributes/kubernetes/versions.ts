/** Whether one version of the store is older than another one; of what are no numbers nobody can tell. */
export function isBehind(version: string, than: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return false;
  return BigInt(version) < BigInt(than);
}
