/** One cycle for each knot of files that import each other, types included; each begins at its first name. */
export function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];

  function visit(file: string): void {
    const at = trail.indexOf(file);
    if (at >= 0) {
      const loop = trail.slice(at);
      const first = loop.indexOf([...loop].sort()[0] ?? '');
      found.push([...loop.slice(first), ...loop.slice(0, first)]);
      return;
    }
    if (done.has(file)) return;
    trail.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    trail.pop();
    done.add(file);
  }

  for (const file of [...graph.keys()].sort()) visit(file);
  return found;
}
