import { neverPresent } from '../../pdp/model/aliases.ts';
import { nearest } from '../../pdp/model/text.ts';
import type { Path } from '../document.ts';
import { type Ground, valueAt } from './finding.ts';

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
const known = {
  from: [...workload, ...images, ...initImages, ...sites, 'spiffe:id', 'spiffe:trust-domain'],
  to: ['service:name', 'k8s:ns', 'k8s:label:', 'cl:service:', ...sites],
} as const;

type Direction = keyof typeof known;

/** Keys of AccessPolicies: aliases on the wrong side, keys without a scope, keys that nothing provides. */
export function keysOf(ground: Ground): void {
  for (const { kind, document, path } of ground.loaded.policies) {
    if (kind !== 'AccessPolicy' && kind !== 'PrivilegedAccessPolicy') continue;
    const { value } = ground.documents[document] as { value: unknown };
    for (const direction of ['from', 'to'] as const) {
      const entries = valueAt(value, [...path, direction]);
      if (!Array.isArray(entries)) continue;
      for (const [i, entry] of entries.entries()) {
        const base: Path = [...path, direction, i, 'workloadSelector'];
        for (const [key, at] of selectorKeys(entry, base)) look(ground, document, direction, key, at);
      }
    }
  }
}

function selectorKeys(entry: unknown, base: Path): [string, Path][] {
  const labels = valueAt(entry, ['workloadSelector', 'matchLabels']);
  const expressions = valueAt(entry, ['workloadSelector', 'matchExpressions']);
  const found = Object.keys(labels ?? {}).map((key): [string, Path] => [key, [...base, 'matchLabels', key]]);
  if (!Array.isArray(expressions)) return found;
  for (const [i, { key }] of expressions.entries())
    found.push([key, [...base, 'matchExpressions', i, 'key']]);
  return found;
}

function look(ground: Ground, document: number, direction: Direction, key: string, path: Path): void {
  const side = direction === 'from' ? 'source' : 'destination';
  const other = direction === 'from' ? 'to' : 'from';
  const quoted = JSON.stringify(key);
  if (neverPresent(key, side)) {
    const message = `${quoted} is a name for ${other}; in ${direction} nothing ever has it`;
    ground.report(document, path, {
      code: 'alias-on-wrong-side',
      message,
      hint: `move it to ${other}, or take it out`,
    });
  } else if (!key.includes(':') && !key.includes('.clusterlink.net/')) {
    const scoped = [
      `k8s:label:${key}`,
      `cl:site:${key}`,
      ...(direction === 'to' ? [`cl:service:${key}`] : []),
    ];
    const message = `the key ${quoted} has no scope, so it is not clear who sets it`;
    const hint = `write ${scoped.map((one) => JSON.stringify(one)).join(' or ')}`;
    ground.report(document, path, { code: 'key-without-scope', message, hint });
  } else if (key.includes(':') && !provided(ground, direction, key)) {
    const near = nearest(key, known[direction]);
    const elsewhere = provided(ground, other, key);
    const message = elsewhere
      ? `${quoted} is an attribute of ${other}; nothing in ${direction} provides it`
      : `nothing provides ${quoted}`;
    const hint = elsewhere
      ? `move it to ${other}, or take it out`
      : near === undefined
        ? `known are ${known[direction].join(', ')}`
        : `did you mean ${JSON.stringify(near)}?`;
    ground.report(document, path, { code: 'no-source', message, hint });
  }
}

/** Attributes that documents of the inventory state themselves count too. */
function provided(ground: Ground, direction: Direction, key: string): boolean {
  if (
    known[direction].some((one) => (one.endsWith(':') ? key.startsWith(one) && key !== one : key === one))
  ) {
    return true;
  }
  const { workloads, services, site } = ground.loaded.inventory;
  if (site.attributes.has(key)) return true;
  return direction === 'from'
    ? workloads.some(({ attributes }) => attributes.has(key))
    : [...services.values()].some(({ attributes }) => attributes.has(key));
}
