/** The knots of a graph: things that lead to each other, or one to itself; Tarjan's way, with a stack of its own. */
export function knots<T>(all: readonly T[], next: (one: T) => readonly T[]): readonly (readonly T[])[] {
  const index = new Map<T, number>();
  const low = new Map<T, number>();
  const open = new Set<T>();
  const opened: T[] = [];
  const found: T[][] = [];
  for (const start of all) if (!index.has(start)) search(start);
  return found;

  function search(start: T): void {
    const trail: { readonly one: T; readonly edges: readonly T[]; at: number }[] = [];
    enter(start);
    while (trail.length > 0) {
      const here = trail.at(-1)!;
      const to = here.edges[here.at++];
      if (to !== undefined) {
        if (!index.has(to)) enter(to);
        else if (open.has(to)) low.set(here.one, Math.min(low.get(here.one)!, index.get(to)!));
        continue;
      }
      trail.pop();
      const above = trail.at(-1);
      if (above !== undefined) low.set(above.one, Math.min(low.get(above.one)!, low.get(here.one)!));
      if (low.get(here.one) === index.get(here.one)) leave(here.one, here.edges);
    }

    function enter(one: T): void {
      index.set(one, index.size);
      low.set(one, index.get(one)!);
      open.add(one);
      opened.push(one);
      trail.push({ one, edges: next(one), at: 0 });
    }
  }

  /** Everything that was opened after it leads back to it. */
  function leave(one: T, edges: readonly T[]): void {
    const knot = opened.splice(opened.lastIndexOf(one));
    for (const member of knot) open.delete(member);
    if (knot.length > 1 || edges.includes(one)) found.push(knot);
  }
}
