import { type Random, seeded } from './random.ts';
import type { PlainCondition, PlainRule, Workload } from './types.ts';

/**
 * T: one list of tag items over 40 tags, three values each, three conditions in ten negated; the first one for
 * everybody at the beginning of what others override. A client has about half of the tags, one in twenty of them
 * with two values. As a table it would have 2^120 rows.
 */
const tagCount = 40;
const valueCount = 3;

const names = Array.from({ length: tagCount }, (_, i) => `team.example/tag-${i}`);

interface Item {
  readonly tags: Readonly<Record<string, string>>;
  readonly allows: boolean;
}

export function t(size: number, requests: number): Workload {
  const random = seeded(6_000 + size);
  const items = Array.from({ length: size }, (_, i): Item => {
    // The first one is a mesh's usual default, and weaker than all.
    const tags = i === 0 ? [] : random.sample(names, 2 + random.int(4));
    return {
      allows: i > 0 && random.chance(0.5),
      tags: Object.fromEntries(tags.map((tag) => [tag, `${random.chance(0.3) ? '!' : ''}${value(random)}`])),
    };
  });
  const from = items.map(({ tags, allows }) => ({
    targetRef: { kind: 'MeshSubset', tags },
    default: { action: allows ? 'Allow' : 'Deny' },
  }));
  const dataplane = {
    name: 'dp-0',
    mesh: 'default',
    labels: {},
    inbound: { name: 'http', port: 8080, tags: { 'kuma.io/service': 'backend' } },
  };
  const { inbound, ...rest } = dataplane;
  return {
    name: 'T',
    size,
    documents: [
      { type: 'Mesh', name: 'default', certificates: 'tags' },
      { type: 'Dataplane', ...rest, inbounds: [inbound] },
      { type: 'MeshTrafficPermission', name: 'list', targetRef: { kind: 'Mesh' }, from },
    ],
    rules: items.map(ruleOf),
    dataplanes: [dataplane],
    requests: Array.from({ length: requests }, () => JSON.stringify(requestOf(random, items))),
  };
}

function value(random: Random): string {
  return `v${random.int(valueCount)}`;
}

/** Half of them are drawn towards one item, so that they do not all meet the same. */
function requestOf(random: Random, items: readonly Item[]): object {
  const tags: Record<string, string | string[]> = {};
  for (const tag of names) {
    if (random.chance(0.5)) tags[tag] = random.chance(0.05) ? [value(random), value(random)] : value(random);
  }
  if (random.chance(0.5))
    for (const [tag, wanted] of Object.entries(random.pick(items).tags)) {
      if (wanted.startsWith('!')) delete tags[tag];
      else tags[tag] = wanted;
    }
  return { source: { mesh: 'default', tags }, destination: { dataplane: 'dp-0', inbound: 'http' } };
}

function ruleOf({ tags, allows }: Item, strength: number): PlainRule {
  const is = (side: PlainCondition['side'], key: string, wanted: string): PlainCondition => {
    const negated = wanted.startsWith('!');
    return {
      side,
      key,
      op: negated ? 'notIn' : 'in',
      match: 'exact',
      values: [negated ? wanted.slice(1) : wanted],
    };
  };
  const tier = allows ? 3 : Object.keys(tags).length === 0 ? 4 : 2;
  const when = [
    is('destination', 'kuma:mesh', 'default'),
    is('source', 'kuma:mesh', 'default'),
    ...Object.entries(tags).map(([tag, wanted]) => is('source', `kuma:tag:${tag}`, wanted)),
  ];
  return { tier, shadow: tier, strength, when };
}
