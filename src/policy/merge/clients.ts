import { byText } from '../../pdp/model/text.ts';

/** Selections of clients: a mesh, tags that a client must have, and values of tags that it must not have. */
export interface Clients {
  readonly mesh: string;
  readonly is: ReadonlyMap<string, string>;
  readonly not: ReadonlyMap<string, readonly string[]>;
}

/** Equal for selections of the same clients, whatever the order in which they were written. */
export function keyOf({ mesh, is, not }: Clients): string {
  return JSON.stringify([mesh, sorted(is), sorted(not)]);
}

function sorted<V>(map: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  return [...map].sort(([a], [b]) => byText(a, b));
}

/** `tags` as they are written, `!v` is any value but `v`; undefined if no client can have them all. */
export function clientsOf(mesh: string, tags: Iterable<readonly [string, string]>): Clients | undefined {
  let clients: Clients | undefined = { mesh, is: new Map(), not: new Map() };
  for (const [tag, value] of tags) {
    const one = value.startsWith('!')
      ? { mesh, is: new Map(), not: new Map([[tag, [value.slice(1)]]]) }
      : { mesh, is: new Map([[tag, value]]), not: new Map() };
    clients = clients && meet(clients, one);
  }
  return clients;
}

/** The clients of both, each with one value a tag; undefined if there can be none. */
export function meet(a: Clients, b: Clients): Clients | undefined {
  if (a.mesh !== b.mesh) return undefined;
  const is = new Map(a.is);
  for (const [tag, value] of b.is) {
    if ((is.get(tag) ?? value) !== value) return undefined;
    is.set(tag, value);
  }
  const not = new Map<string, readonly string[]>();
  for (const side of [a.not, b.not])
    for (const [tag, values] of side) {
      const wanted = is.get(tag);
      if (wanted === undefined) not.set(tag, union(not.get(tag), values));
      else if (values.includes(wanted)) return undefined;
    }
  return { mesh: a.mesh, is, not };
}

function union(a: readonly string[] | undefined, b: readonly string[]): readonly string[] {
  return a === undefined ? b : [...new Set([...a, ...b])].sort();
}

/** Whether a client is among them; a tag may have several values. */
export function includes(
  { mesh, is, not }: Clients,
  client: { readonly mesh: string; readonly tags: ReadonlyMap<string, readonly string[]> },
): boolean {
  if (mesh !== client.mesh) return false;
  for (const [tag, value] of is) if (!client.tags.get(tag)?.includes(value)) return false;
  for (const [tag, values] of not)
    if (client.tags.get(tag)?.some((value) => values.includes(value))) return false;
  return true;
}
