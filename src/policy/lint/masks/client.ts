import type { Request, RequestParts, RequestSource } from '../../../pdp/model/request.ts';
import { type Condition, keys, type Rule } from '../../../pdp/model/rule.ts';
import { holds } from '../among.ts';
import type { InboundOf } from '../inventory.ts';
import type { LikelyIds } from './ids.ts';

/** A client for whom the conditions of both rules hold; undefined where none is found. Whoever asks tries it. */
export function clientOf(
  rules: readonly Rule[],
  ids: LikelyIds,
): Pick<Request, 'source' | 'request'> | undefined {
  const byKey = { source: new Map<string, Condition[]>(), request: new Map<string, Condition[]>() };
  for (const { when } of rules)
    for (const condition of when) {
      if (condition.side === 'destination') continue;
      const known = byKey[condition.side];
      known.set(condition.key, [...(known.get(condition.key) ?? []), condition]);
    }
  const source = sourceOf(byKey.source, ids);
  const request = partsOf(byKey.request);
  return source && request && { source, request };
}

export function requestAt(
  { dataplane, inbound }: InboundOf,
  route: string | undefined,
  client: Pick<Request, 'source' | 'request'>,
): Request {
  const { mesh, name } = dataplane;
  const destination = { mesh, dataplane: name, inbound: inbound.port };
  return { ...client, destination: route === undefined ? destination : { ...destination, route } };
}

type ByKey = ReadonlyMap<string, readonly Condition[]>;

function sourceOf(byKey: ByKey, ids: LikelyIds): RequestSource | undefined {
  let spiffeId: string | undefined;
  let mesh: string | undefined;
  const tags: [string, string | readonly string[]][] = [];
  const attributes: [string, string][] = [];
  for (const [key, conditions] of byKey) {
    const values = key.startsWith(keys.tag) ? severalFor(conditions) : valueFor(conditions, likely(key));
    if (values === undefined) return undefined;
    const [value] = values;
    if (value === undefined) continue;
    if (key === keys.spiffeId) spiffeId = value;
    else if (key === keys.mesh) mesh = value;
    else if (key.startsWith(keys.tag)) tags.push([key.slice(keys.tag.length), values]);
    else attributes.push([key, value]);
  }
  return {
    ...(spiffeId === undefined ? {} : { spiffeId }),
    ...(mesh === undefined ? {} : { mesh }),
    tags: Object.fromEntries(tags),
    attributes: Object.fromEntries(attributes),
    complete: true,
  };

  function likely(key: string): Candidates {
    if (key !== keys.spiffeId) return (value) => [value];
    return (value) =>
      ids.from(value, (other) => byKey.get(other)?.find(({ op }) => op === 'in')?.values[0]?.value);
  }
}

/** A request that shows all of layer 7; a condition on it is on one value. */
function partsOf(byKey: ByKey): RequestParts | undefined {
  const of = (key: string): readonly string[] | undefined =>
    valueFor(byKey.get(key) ?? [], (value) => [value, `${value}x`, `${value}/x`]);
  const [method, path, sni] = [of(keys.method), of(keys.path), of(keys.sni)];
  if (method === undefined || path === undefined || sni === undefined) return undefined;
  const parts = { method: method[0] ?? 'GET', path: path[0] ?? '/' };
  return sni[0] === undefined ? parts : { ...parts, sni: sni[0] };
}

type Candidates = (value: string) => readonly string[];

/** One value that meets all conditions; none where it may be absent; undefined where none is found. */
function valueFor(conditions: readonly Condition[], candidates: Candidates): readonly string[] | undefined {
  const meets = (values: readonly string[]) => conditions.every((one) => holds(one, values));
  if (meets([])) return [];
  for (const { op, values } of conditions) {
    if (op === 'exists' && meets(['x'])) return ['x'];
    if (op !== 'in') continue;
    for (const { value } of values) for (const one of candidates(value)) if (meets([one])) return [one];
  }
  return undefined;
}

/** A tag may have several values (SPEC SRC10). */
function severalFor(conditions: readonly Condition[]): readonly string[] | undefined {
  const wanted = conditions.flatMap(({ op, values }) => (op === 'in' ? values[0]!.value : []));
  const values = [...new Set(wanted)];
  return conditions.every((one) => holds(one, values)) ? values : undefined;
}
