import { both } from '../../../envoy/export/world.ts';
import { Random } from '../../../oracle/random.ts';

/** Policies that change all the time: each set has a number, and every filter that is made of it says which it is. */

export const idOf = (name: string) => `spiffe://td.example/ns/shop/sa/${name}`;

/** Whoever asks, and for what: `always` is let in and `never` kept out, the others as they come. */
export const asking = [
  { name: 'always', path: '/' },
  { name: 'never', path: '/' },
  { name: 'a', path: '/' },
  { name: 'b', path: '/' },
  { name: 'c', path: '/admin' },
  { name: 'd', path: '/admin/users' },
] as const;
export type Asking = (typeof asking)[number];
const varying = asking.slice(2);

export const mesh = 'default';
export const inbound = 'http';

export interface PolicySet {
  /** A file of them. */
  readonly text: string;
  readonly documents: readonly unknown[];
  /** What the PDP says. */
  allows(dataplane: string, asking: Asking): boolean;
}

/** As many sets, of which each gives each of the dataplanes its own policy, and at least one of them other verdicts. */
export function setsOf(seed: number, count: number, dataplanes: readonly string[]): readonly PolicySet[] {
  const random = new Random(seed);
  const sets: PolicySet[] = [];
  while (sets.length < count) {
    const set = setOf(random, sets.length, dataplanes);
    const before = sets.at(-1);
    if (before === undefined || differing(before, set, dataplanes) > 0) sets.push(set);
  }
  return sets;
}

/** Verdicts that two sets give otherwise. */
export function differing(one: PolicySet, other: PolicySet, dataplanes: readonly string[]): number {
  return dataplanes
    .flatMap((dataplane) => varying.map((each) => [dataplane, each] as const))
    .filter((which) => one.allows(...which) !== other.allows(...which)).length;
}

function setOf(random: Random, number: number, dataplanes: readonly string[]): PolicySet {
  const documents = dataplanes.flatMap((name) => [
    { type: 'Dataplane', name, inbounds: [{ name: inbound, port: 80, protocol: 'http' }] },
    {
      type: 'MeshTrafficPermission',
      name,
      spec: { targetRef: { kind: 'Dataplane', name }, rules: [{ default: lists(random, number) }] },
    },
  ]);
  const { engine } = both(...documents);
  const verdicts = new Map(
    dataplanes.flatMap((dataplane) =>
      asking.map(({ name, path }): [string, boolean] => {
        const destination = { mesh, dataplane, inbound };
        const request = { method: 'GET', path };
        const { decision } = engine.decide({ source: { spiffeId: idOf(name) }, destination, request });
        return [`${dataplane} ${name}`, decision === 'allow'];
      }),
    ),
  );
  return {
    text: documents.map((one) => JSON.stringify(one)).join('\n---\n'),
    documents,
    allows: (dataplane, { name }) => verdicts.get(`${dataplane} ${name}`) as boolean,
  };
}

function lists(random: Random, number: number): object {
  const matcher = (name: string) => ({ spiffeID: { type: 'Exact', value: idOf(name) } });
  const allowed = varying.filter(() => random.chance(0.6));
  const denied = varying.filter(() => random.chance(0.2));
  const path = { type: 'PathPrefix', value: '/admin' };
  return {
    deny: [matcher('never'), ...denied.map(({ name }) => ({ ...matcher(name), path }))],
    // Nobody is called that: it is the number, and makes a filter of its own of each set.
    allow: [matcher('always'), ...allowed.map(({ name }) => matcher(name)), matcher(`set-${number}`)],
  };
}

/** Out of which set a filter was made. */
export function numberOf(filter: Uint8Array): number {
  const [, number] = /\/sa\/set-(\d+)/.exec(Buffer.from(filter).toString('latin1')) ?? [];
  if (number === undefined) throw new Error('got a filter of no set');
  return Number(number);
}
