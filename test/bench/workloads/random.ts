/** A small seeded generator (sfc32): the same seed gives the same documents and requests on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** In [0, below). */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** `count` different members, in the order they were drawn. */
  sample<T>(from: readonly T[], count: number): T[];
}

export function seeded(seed: number): Random {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  let d = seed | 0;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  };
  for (let i = 0; i < 16; i++) next();
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: (from) => from[int(from.length)]!,
    sample: (from, count) => {
      const rest = [...from];
      const drawn: (typeof rest)[number][] = [];
      while (drawn.length < count && rest.length > 0) drawn.push(...rest.splice(int(rest.length), 1));
      return drawn;
    },
  };
}
