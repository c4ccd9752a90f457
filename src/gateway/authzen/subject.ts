import type { Fact } from '../../pdp/model/facts.ts';
import { identityKeys } from '../../pdp/model/identity-keys.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import type { CompletePrefixes, RequestSource, Stated } from '../../pdp/model/request.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { apart } from '../decide/evidence.ts';
import { Refused } from '../http/problem.ts';
import type { Evidence } from '../service.ts';
import { attributesOf } from './attributes.ts';
import { entitiesOf } from './entities.ts';
import { type Known, knownOf } from './named.ts';
import type { Entity, Properties, Sought } from './types.ts';

export interface Subject {
  readonly source: RequestSource;
  readonly evidence?: Evidence;
  /** Identity keys that the caller states otherwise than the inventory has them. */
  readonly conflicts: readonly string[];
}

/** Properties that are evidence, of subjects that have any; AuthZEN itself names the address so. */
const evidenceNames = {
  certificate: 'certificate',
  xfcc: 'xfcc',
  jwt: 'jwt',
  ip: 'ip',
  ip_address: 'ip',
} as const;
const withEvidence: ReadonlySet<string> = new Set(['workload', 'spiffe', 'evidence']);

/** Who asks, as `decide` takes it (SPEC AZ22, AZ23). `trust`: how far the caller is believed in what it states. */
export function subjectOf(subject: Entity, inventory: Inventory, trust: Trust): Subject {
  const { type, id } = subject;
  const { evidence, properties } = evidenceIn(subject);
  const stated = attributesOf(type, properties, ['subject', 'properties']);
  if (type === 'evidence' || isSvid(type, id)) {
    const spiffeId = type === 'evidence' ? {} : { spiffeId: id };
    return { source: { ...spiffeId, attributes: Object.fromEntries(stated) }, ...evidence, conflicts: [] };
  }
  const workloads = entitiesOf(inventory).subjects(type).get(id);
  if (type !== 'workload') stated.set(`${type}:id`, id);
  const known = knownOf(workloads, inventory);
  const attributes: Record<string, Stated> = Object.fromEntries(stated);
  for (const [key, fact] of known.facts) attributes[key] = asStated(fact);
  const complete = completeOf(type, known, trust);
  return {
    source: { attributes, ...(complete === undefined ? {} : { complete }) },
    ...evidence,
    conflicts: [...identityKeys].filter((key) => differs(stated.get(key), known.facts.get(key))),
  };
}

function evidenceIn({ type, properties = {} }: Entity): {
  readonly properties: Properties;
  readonly evidence?: { readonly evidence: Evidence };
} {
  if (!withEvidence.has(type)) return { properties };
  const source: Record<string, unknown> = {};
  const { ip, ip_address: other } = properties;
  if (given(ip) && given(other) && ip !== other)
    throw unreadable([
      {
        path: ['subject', 'properties', 'ip_address'],
        code: 'conflict',
        message: 'got another address than in "ip", want one',
      },
    ]);
  const others = Object.entries(properties).filter(([name, value]) => {
    if (!Object.hasOwn(evidenceNames, name) || !given(value)) return true;
    source[evidenceNames[name as keyof typeof evidenceNames]] = value;
    return false;
  });
  const { evidence, violations } = apart({ source });
  if (violations.length > 0) throw unreadable(violations);
  return {
    properties: Object.fromEntries(others),
    ...(evidence === undefined ? {} : { evidence: { evidence } }),
  };
}

/** A `null` is as if it was not there. */
function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function unreadable(violations: readonly Violation[]): Refused {
  return new Refused({ status: 400, title: 'evidence that cannot be read', violations });
}

function isSvid(type: string, id: string): boolean {
  return type === 'spiffe' || (type === 'workload' && id.startsWith('spiffe:'));
}

function differs(stated: string | undefined, fact: Fact | undefined): boolean {
  return stated !== undefined && fact?.kind === 'agreed' && fact.value !== stated;
}

function asStated(fact: Fact): Stated {
  if (fact.kind === 'agreed') return fact.value;
  return { unknown: 'shared-identity', pods: fact.pods.slice(0, limits.sharingPods) };
}

/** Nobody but the caller says anything about users. */
function completeOf(type: string, { complete }: Known, trust: Trust): CompletePrefixes | undefined {
  const prefixes = [...(type === 'workload' ? [] : [`${type}:`]), ...complete];
  if (prefixes.length === 0) return undefined;
  return Object.fromEntries(prefixes.map((prefix) => [prefix, trust]));
}

/** IDs of a type, in order, of those that have the properties which the search names (SPEC AZ32). */
export function* subjectsOf({ type, properties }: Sought, inventory: Inventory, after: string | undefined) {
  const wanted = attributesOf(type, properties, ['subject', 'properties']);
  const named = entitiesOf(inventory).subjects(type);
  for (let i = firstAfter(named.ids, after); i < named.ids.length; i++) {
    const id = named.ids[i] as string;
    const known = wanted.size === 0 ? undefined : knownOf(named.get(id), inventory).facts;
    yield { id, has: [...wanted].every(([key, value]) => hasValue(known?.get(key), value)) };
  }
}

function hasValue(fact: Fact | undefined, value: string): boolean {
  return fact?.kind === 'agreed' && fact.value === value;
}

/** IDs are in order, so that a page begins where the one before ended, whatever came and went between them. */
export function firstAfter(ids: readonly string[], after: string | undefined): number {
  if (after === undefined) return 0;
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as string) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
