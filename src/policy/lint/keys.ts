import { canonical, neverPresent } from '../../pdp/model/aliases.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { keys } from '../../pdp/model/rule.ts';
import { nearest } from '../../pdp/model/text.ts';
import type { Path } from '../../pdp/model/violation.ts';
import { asked } from './asked.ts';
import type { Ground, LintCode } from './finding.ts';
import { type Direction, writtenConditions } from './written.ts';

/** What sources and destinations can have; a name that ends in `:` stands for all keys that begin so. */
const workload = ['k8s:ns', 'k8s:sa', 'k8s:label:', 'k8s:pod', 'k8s:owner'];
const images = [
  'k8s:container-image',
  'k8s:container-image:',
  'k8s:container-image-digest',
  'k8s:container-image-digest:',
];
const initImages = images.map((key) => key.replace('k8s:', 'k8s:init-'));
const sites = ['site:name', 'site:location', 'site:environment', 'cl:site:', 'cl:fabric'];
const provided = {
  from: [...workload, ...images, ...initImages, ...sites, 'spiffe:id', 'spiffe:trust-domain'],
  to: ['service:name', 'k8s:ns', 'k8s:label:', 'cl:service:', ...sites, ...asked],
} as const;
/** What meshes say of clients and inbounds: there, and not what one would be told to write. */
const ofMeshes = {
  from: [keys.mesh, keys.tag],
  to: [keys.mesh, keys.tag, keys.dataplane, keys.dataplaneLabel, keys.section, keys.proxyType],
} as const;

/** What others call it. */
const otherNames: Readonly<Record<string, string>> = {
  namespace: keys.k8sNamespace,
  serviceaccount: keys.k8sServiceAccount,
  labels: keys.k8sLabel,
  image: 'k8s:container-image',
  service: 'service:name',
  region: 'site:location',
  zone: 'site:location',
  env: 'site:environment',
};

const aliases = {
  from: ['namespace', 'service-account', 'labels.'].map((name) => `client.clusterlink.net/${name}`),
  to: ['name', 'namespace', 'labels.'].map((name) => `export.clusterlink.net/${name}`),
  both: ['peer.clusterlink.net/name', 'peer.clusterlink.net/labels.'],
};

/** Keys of AccessPolicies: aliases on the wrong side, keys without a scope, keys that nothing provides. */
export function keysOf(ground: Ground): void {
  const known = new Known(ground.loaded.inventory);
  for (const { document, direction, key, path } of writtenConditions(ground))
    look(ground, known, document, direction, key, path);
}

function look(
  ground: Ground,
  known: Known,
  document: number,
  direction: Direction,
  key: string,
  path: Path,
): void {
  const [side, other] =
    direction === 'from' ? (['source', 'to'] as const) : (['destination', 'from'] as const);
  const quoted = JSON.stringify(key);
  const say = (code: LintCode, message: string, hint: string) =>
    ground.report(document, path, { code, message, hint });
  if (neverPresent(key, side)) {
    const own = canonical(key, side === 'source' ? 'destination' : 'source');
    const moved = `move it to "${other}"`;
    say(
      'alias-on-wrong-side',
      `${quoted} is a name for what "${other}" selects; nothing that "${direction}" selects ever has it`,
      known.has(direction, own) ? `${moved}, or write ${JSON.stringify(own)}` : moved,
    );
  } else if (isAlias(key)) {
    if (canonical(key, side) !== key) return;
    say('no-source', `nothing provides ${quoted}`, suggestion(key, [...aliases[direction], ...aliases.both]));
  } else if (!key.includes(':')) {
    const scoped = [`k8s:label:${key}`, `cl:${direction === 'to' ? 'service' : 'site'}:${key}`];
    say(
      'key-without-scope',
      `the key ${quoted} has no scope, so nothing says whose attribute it is`,
      `write ${scoped.map((one) => JSON.stringify(one)).join(' or ')}`,
    );
  } else if (known.has(other, key) && !known.has(direction, key)) {
    const message = `${quoted} is an attribute of what "${other}" selects; nothing provides it in "${direction}"`;
    say('no-source', message, `move it to "${other}"`);
  } else if (!known.has(direction, key)) {
    say(
      'no-source',
      `nothing provides ${quoted}`,
      suggestion(key, provided[direction], typed(direction, key)),
    );
  }
}

/** Scopes of our own are no types. */
const scopes = new Set([
  'k8s',
  'site',
  'cl',
  'spiffe',
  'service',
  'action',
  'context',
  'kuma',
  'placet',
  'request',
]);

/** Users and records are known by who asks alone; where policies have them, that may be meant. */
function typed(direction: Direction, key: string): string {
  const type = key.slice(0, key.indexOf(':'));
  if (scopes.has(type)) return '';
  const what = direction === 'from' ? 'subjects' : 'resources';
  return `; ${what} of the type ${JSON.stringify(type)} that AuthZEN is asked about may have it`;
}

function suggestion(key: string, names: readonly string[], more = ''): string {
  const near =
    meant(key, names) ??
    nearest(
      key,
      names.flatMap((one) => completed(one, key)),
    );
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  const shown = names.map((one) => (isOpen(one) ? `${one}<name>` : one));
  return `write one of ${shown.join(', ')}; or add a document that states it${more}`;
}

/** By another name: of `k8s:serviceAccount` the last part, of `k8s:labels:app` the one before. */
function meant(key: string, names: readonly string[]): string | undefined {
  const [, name = '', ...rest] = key.split(':');
  const own = otherNames[name.toLowerCase().replaceAll('-', '')];
  if (own === undefined || !names.includes(own)) return undefined;
  if (!isOpen(own)) return rest.length === 0 ? own : undefined;
  return rest.length === 0 ? undefined : own + rest.join(':');
}

/** A name, with what the key has behind it where it stands for all that begin so: of such as begin nearly so. */
function completed(one: string, key: string): string[] {
  if (!isOpen(one)) return [one];
  const mark = one.at(-1)!;
  const depth = one.split(mark).length - 1;
  const parts = key.split(mark);
  const rest = parts.slice(depth).join(mark);
  const begins = parts.slice(0, depth).join(mark) + mark;
  return rest !== '' && nearest(begins, [one]) === one ? [one + rest] : [];
}

function isOpen(name: string): boolean {
  return name.endsWith(':') || name.endsWith('.');
}

/** ClusterLink's names, which have no `:`. */
function isAlias(key: string): boolean {
  return key.includes('.clusterlink.net/');
}

/** What sources and destinations can have, attributes that documents of the inventory state among them. */
class Known {
  readonly #stated: Readonly<Record<Direction, ReadonlySet<string>>>;

  constructor({ workloads, services, site, peers = new Map() }: Inventory) {
    const all = (things: Iterable<{ readonly attributes: ReadonlyMap<string, string> }>) => {
      const stated = new Set<string>();
      for (const { attributes } of [site, ...peers.values(), ...things])
        for (const key of attributes.keys()) stated.add(key);
      return stated;
    };
    this.#stated = { from: all(workloads), to: all(services.values()) };
  }

  has(direction: Direction, key: string): boolean {
    if (this.#stated[direction].has(key)) return true;
    return [...provided[direction], ...ofMeshes[direction]].some((one) =>
      one.endsWith(':') ? key.startsWith(one) && key !== one : key === one,
    );
  }
}
