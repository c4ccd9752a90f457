export interface NearestMiss {
  readonly possible: boolean;
}
export function nearestMiss(..._: unknown[]): NearestMiss | undefined {
  return undefined;
}
