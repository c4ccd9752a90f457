/** Mistakes that an exporter could make, each planted in filters that are right. */
export interface Mutant {
  readonly name: string;
  readonly world: 'list' | 'trees' | 'tags';
  readonly plant: (filters: Json[]) => void;
}

export type Json = { [key: string]: Json } & Json[] & string;

interface Entry {
  readonly [key: string]: Json;
}

export const typed = (filters: Json[], at = 0): Json => (filters[at] as Json)['typed_config'] as Json;
export const entriesOf = (filters: Json[], which = 'matcher'): Json[] =>
  ((typed(filters)[which] as Json)['matcher_list'] as Json)['matchers'] as Json;
/** What an entry is for, in filters written by hand and in exported ones. */
export function kindOf(entry: Entry): string {
  const found: unknown = ((entry['on_match'] as Json)['action'] as Json)['typed_config'];
  const { name, action } = found as { name: string; action?: string };
  if (guards.includes(name)) return name;
  if (name.includes('banned')) return 'banned';
  return action === 'DENY' ? 'deny' : 'allow';
}

/** Walks all of a configuration; what the visitor gives back takes the place of what it was given. */
function rewrite(value: unknown, visit: (value: unknown, key: string) => unknown, key = ''): unknown {
  const seen = visit(value, key);
  if (Array.isArray(seen)) return seen.map((one) => rewrite(one, visit));
  if (typeof seen !== 'object' || seen === null) return seen;
  return Object.fromEntries(Object.entries(seen).map(([name, one]) => [name, rewrite(one, visit, name)]));
}

export function replaceAll(filters: Json[], visit: (value: unknown, key: string) => unknown): void {
  const changed = rewrite(filters, visit) as Json[];
  if (JSON.stringify(changed) === JSON.stringify(filters)) throw new Error('the mutant changes nothing');
  filters.splice(0, filters.length, ...changed);
}

export const texts = (from: string, to: string) => (filters: Json[]) =>
  replaceAll(filters, (value) => (value === from ? to : value));

/** Alternatives without the ones that a test picks out; Envoy wants two of them at least. */
export const without = (test: (predicate: string) => boolean) => (filters: Json[]) =>
  replaceAll(filters, (value, key) => {
    if (key !== 'predicate' || !Array.isArray(value)) return value;
    const rest = value.filter(
      (one) => JSON.stringify(one).includes('_matcher') || !test(JSON.stringify(one)),
    );
    return rest.length === 1 ? [rest[0], rest[0]] : rest;
  });

export const drop =
  (name: string, which: readonly string[] = ['matcher', 'shadow_matcher']) =>
  (filters: Json[]) => {
    for (const one of which) {
      const entries = entriesOf(filters, one);
      const at = entries.findIndex((entry) => kindOf(entry) === name);
      if (at < 0) throw new Error(`no entry ${name}`);
      entries.splice(at, 1);
    }
  };

/** Actions, by a test of their name. */
export function actions(test: (name: string) => boolean, change: (action: object) => object) {
  return (filters: Json[]) =>
    replaceAll(filters, (value) => {
      const { name, action } = (value ?? {}) as { name?: string; action?: unknown };
      return typeof name === 'string' && action === 'DENY' && test(name) ? change(value as object) : value;
    });
}

const guards = ['invalid-source', 'incomplete-request', 'ambiguous-path'];
const reserved = [...guards, 'default'];
export const isPolicy = (name: string) => !reserved.includes(name) && !name.includes('banned');
