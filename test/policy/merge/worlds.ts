import type { Random } from '../../oracle/random.ts';
import { legalNames, randomConf } from './random-conf.ts';

/** Random policies and proxies, few enough names that they meet. */

type Fields = Record<string, unknown>;

const services = ['web', 'api', 'pay'];
const versions = ['v1', 'v2'];

function tags(random: Random): Fields {
  return Object.fromEntries(
    random
      .some(['version', 'kuma.io/zone'], 0, 2)
      .map((tag) => [tag, `${random.chance(0.2) ? '!' : ''}${random.pick(versions)}`]),
  );
}

function ref(random: Random, position: 'top' | 'to' | 'from', later: boolean): Fields | undefined {
  const [service, subset, proxy] = later
    ? ['MeshService', 'MeshServiceSubset', 'Dataplane']
    : ['Service', 'ServiceSubset', 'Proxy'];
  const kind = random.below(position === 'top' ? 8 : 4);
  if (kind === 0) return { kind: 'Mesh' };
  if (kind === 1) return { kind: service, name: random.pick(services) };
  if (kind === 2) return { kind: subset, name: random.pick(services), tags: tags(random) };
  if (kind === 3) return position === 'to' ? { kind: 'Mesh' } : { kind: 'MeshSubset', tags: tags(random) };
  if (kind === 4) return { kind: proxy, name: `dp-${random.below(3)}` };
  if (kind === 5) return { kind: 'MeshSubset', tags: tags(random) };
  if (kind === 6) return { kind: proxy, labels: { team: random.pick(versions) } };
  return undefined;
}

function policy(random: Random, index: number): Fields {
  const later = random.chance(0.5);
  const direction = random.chance(0.5) ? 'to' : 'from';
  const items = Array.from({ length: random.between(1, 3) }, () => {
    const targetRef = ref(random, direction, later);
    const conf = randomConf(random, 1, legalNames);
    return later ? { targetRef, default: conf } : { targetRef, ...conf };
  });
  const both = random.chance(0.2)
    ? { [direction === 'to' ? 'from' : 'to']: [{ ...items[0], targetRef: { kind: 'Mesh' } }] }
    : {};
  const arrays: Fields = { [direction]: items, ...both };
  const labels = random.chance(0.3) ? { 'kuma.io/origin': random.pick(['global', 'zone']) } : {};
  const targetRef = ref(random, 'top', later);
  const top = targetRef === undefined ? {} : { targetRef };
  return {
    type: 'MeshTimeout',
    name: `p-${index}-${random.below(10)}`,
    labels,
    ...(later ? { spec: { ...top, ...arrays } } : { ...top, conf: arrays }),
  };
}

function dataplane(random: Random, index: number): Fields {
  const inbound = (port: number) => ({
    port,
    tags: { 'kuma.io/service': random.pick(services), version: random.pick(versions) },
  });
  const outbound = (port: number) => ({
    port,
    tags: {
      'kuma.io/service': random.pick(services),
      ...(random.chance(0.3) ? { version: random.pick(versions) } : {}),
    },
  });
  return {
    type: 'Dataplane',
    name: `dp-${index}`,
    labels: {
      team: random.pick(versions),
      ...(random.chance(0.5) ? { 'kuma.io/zone': random.pick(versions) } : {}),
    },
    networking: {
      inbound: Array.from({ length: random.between(1, 2) }, (_, at) => inbound(8000 + at)),
      outbound: Array.from({ length: random.between(1, 3) }, (_, at) => outbound(9000 + at)),
    },
  };
}

export function randomDocuments(random: Random): Fields[] {
  const policies = Array.from({ length: random.between(1, 14) }, (_, index) => policy(random, index));
  const dataplanes = Array.from({ length: 3 }, (_, index) => dataplane(random, index));
  const mesh = random.chance(0.3)
    ? [{ type: 'Mesh', name: 'default', nameOrder: random.pick(['larger-wins', 'smaller-wins']) }]
    : [];
  return [...policies, ...dataplanes, ...mesh];
}
