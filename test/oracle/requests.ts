import {
  type Channel,
  type CompletePrefixes,
  operatorChannel,
  type Request,
  type RequestDestination,
  type RequestSource,
  type StatedUnknown,
  type StatedValue,
  unknowns,
} from '../../src/pdp/model/request.ts';
import type { Pattern } from '../../src/pdp/model/rule.ts';
import { trustLevels } from '../../src/pdp/model/trust.ts';
import { destinationOf } from './destination.ts';
import { readTemplate, splitSpiffeId } from './identity.ts';
import type { Known } from './known.ts';
import type { Random } from './random.ts';
import type { TwinCondition, TwinRule } from './rule.ts';
import { truthOf } from './seen.ts';
import * as universe from './universe.ts';

/** Requests that are drawn so that rules match: each aims at one rule, and then goes a little astray. */

export function requestFor(random: Random, rules: readonly TwinRule[], known: Known): unknown {
  if (random.chance(0.012)) return random.pick(noRequests);
  const rule = rules.length === 0 ? undefined : aim(random, rules);
  const conditions = rule?.conditions ?? [];
  const destination = destinationFor(random, rule, known);
  const request: Request = {
    destination,
    source: random.chance(0.015) ? {} : sourceFor(random, conditions, known),
    request: partsFor(random, conditions, destination.dataplane !== undefined),
  };
  if (random.chance(0.3)) return { ...request, at: 1_000_000 };
  if (random.chance(0.02)) return { destination, request: request.request };
  return request;
}

const noRequests: readonly unknown[] = [
  {},
  { destination: {} },
  { destination: { dataplane: 'plane-0', service: 'shop/pay' } },
  { destination: { service: 'shop/pay' }, subject: {} },
  'destination',
  null,
];

function aim(random: Random, rules: readonly TwinRule[]): TwinRule {
  const rule = random.pick(rules);
  const allows = rule.enforced === 1 || rule.enforced === 3;
  return allows || random.chance(0.15) ? rule : random.pick(rules);
}

/** One for which the rule's destination conditions hold, if one of a few has that. */
function destinationFor(random: Random, rule: TwinRule | undefined, known: Known): RequestDestination {
  const tries = random.chance(0.88) ? 12 : 1;
  let drawn = anyDestination(random, rule, known);
  for (let i = 1; i < tries && rule !== undefined; i++) {
    if (holds(rule, drawn, known)) return drawn;
    drawn = anyDestination(random, rule, known);
  }
  return drawn;
}

function holds(rule: TwinRule, drawn: RequestDestination, known: Known): boolean {
  const destination = destinationOf(drawn, known, operatorChannel);
  if (destination === 'unknown-destination') return false;
  if (rule.kind === 'MeshTrafficPermission' && destination.inbounds === undefined) return false;
  const allows = rule.enforced === 1 || rule.enforced === 3;
  if (rule.kind !== 'MeshTrafficPermission' && allows && !destination.accessPoliciesAllow) return false;
  return rule.conditions.every(
    (c) => c.side !== 'destination' || truthOf(c, destination.see(c.key), undefined) === 'true',
  );
}

function anyDestination(random: Random, rule: TwinRule | undefined, known: Known): RequestDestination {
  if (random.chance(0.01)) return { service: 'shop/none' };
  if (random.chance(0.01)) return { dataplane: 'plane-0', inbound: 'nowhere' };
  const namespace = random.chance(0.07) ? { namespace: random.pick(universe.namespaces) } : {};
  const permission = rule?.kind === 'MeshTrafficPermission';
  if (random.chance(permission ? 0.97 : 0.3)) {
    const plane = random.pick(known.dataplanes);
    const mesh = plane.mesh === 'default' && random.chance(0.5) ? {} : { mesh: plane.mesh };
    const inbound = random.pick(plane.inbounds);
    const which = random.next();
    const name = inbound.name ?? inbound.port;
    const route = random.chance(0.45) ? { route: random.pick(universe.takenRoutes) } : {};
    const drawn = { ...mesh, dataplane: plane.name, ...route, ...namespace };
    if (which < 0.22) return drawn;
    if (which < 0.7) return { ...drawn, inbound: name };
    return { ...drawn, inbound: random.chance(0.5) ? inbound.port : String(inbound.port) };
  }
  if (random.chance(0.65)) {
    const service = random.pick(known.services);
    return { service: `${service.namespace}/${service.name}`, ...namespace };
  }
  return outright(random, rule?.conditions ?? []);
}

function outright(random: Random, conditions: readonly TwinCondition[]): RequestDestination {
  const attributes: Record<string, string | StatedValue> = {};
  let namespace: string | undefined;
  for (const condition of conditions) {
    if (condition.side !== 'destination') continue;
    const value = valueFor(random, condition, usual(universe.destinationKeys, condition.key) ?? ['1']);
    if (condition.key === 'placet:namespace') namespace = value;
    else if (value !== undefined && !condition.key.startsWith('kuma:')) attributes[condition.key] = value;
  }
  for (const key of random.some(Object.keys(universe.destinationKeys), 0, 3))
    attributes[key] ??= random.pick(universe.destinationKeys[key]!);
  if (namespace !== undefined && random.chance(0.4)) attributes['k8s:ns'] ??= namespace;
  const made: Record<string, unknown> = {
    attributes: stateAll(random, attributes, universe.destinationAliases),
  };
  if (namespace !== undefined && random.chance(0.8)) made['namespace'] = namespace;
  if (random.chance(0.2)) made['complete'] = random.chance(0.5);
  return made as unknown as RequestDestination;
}

/** Own keys only: rules may name what every object inherits. */
function usual(
  values: Readonly<Record<string, readonly string[]>>,
  key: string,
): readonly string[] | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** A value that fulfils the condition; undefined: none is needed, or none may be there. */
function valueFor(random: Random, condition: TwinCondition, usual: readonly string[]): string | undefined {
  if (condition.op === 'notExists') return undefined;
  if (condition.op === 'exists') return random.pick(usual);
  if (condition.op === 'in') return fulfil(random, random.pick(condition.values), usual);
  const others = usual.filter((one) => !condition.values.some((pattern) => matches(pattern, one)));
  return others.length === 0 || random.chance(0.3) ? undefined : random.pick(others);
}

function fulfil(random: Random, pattern: Pattern, usual: readonly string[]): string {
  const fitting = usual.filter((one) => matches(pattern, one));
  return fitting.length === 0 ? pattern.value : random.pick(fitting);
}

function matches(pattern: Pattern, value: string): boolean {
  if (pattern.match === 'exact') return value === pattern.value;
  return (
    value.startsWith(pattern.value) &&
    (pattern.match === 'prefix' || /^($|\/)/.test(value.slice(pattern.value.length)))
  );
}

function sourceFor(random: Random, conditions: readonly TwinCondition[], known: Known): RequestSource {
  const attributes: Record<string, string> = {};
  const tags: Record<string, string | string[]> = {};
  let spiffeId: string | undefined;
  let mesh: string | undefined;
  for (const condition of conditions) {
    if (condition.side !== 'source' || condition.key.includes('clusterlink.net')) continue;
    const { key } = condition;
    const tag = key.slice('kuma:tag:'.length);
    const usualValues =
      key === 'spiffe:id'
        ? universe.spiffeIds
        : (usual(universe.sourceKeys, key) ?? usual(universe.tags, tag) ?? ['default']);
    const value = valueFor(random, condition, usualValues);
    if (value === undefined) continue;
    if (key === 'spiffe:id') spiffeId = value;
    else if (key === 'kuma:mesh') mesh = value;
    else if (key.startsWith('kuma:tag:'))
      tags[tag] = random.chance(0.2) ? [value, random.pick(usualValues)] : value;
    else attributes[key] = value;
  }
  if (spiffeId === undefined && random.chance(0.4)) spiffeId = idFor(random, attributes, known);
  if (random.chance(0.25)) mesh ??= random.pick(['default', 'default', 'other']);
  if (random.chance(0.1)) tags['version'] ??= random.pick(universe.tags['version']!);
  for (const key of random.some(Object.keys(universe.sourceKeys), 0, 3))
    attributes[key] ??= random.pick(universe.sourceKeys[key]!);
  if (spiffeId !== undefined && random.chance(0.93)) agree(random, attributes, spiffeId, known);
  if (random.chance(0.03))
    attributes['spiffe:id'] = spiffeId ?? random.pick([...universe.spiffeIds, ...universe.brokenIds]);
  if (random.chance(0.01)) attributes['k8s:label:n33'] = '1';
  if (random.chance(0.012)) spiffeId = random.pick(universe.brokenIds);
  if (random.chance(0.05)) delete attributes[random.pick([...Object.keys(attributes), ''])];
  return {
    ...(spiffeId === undefined ? {} : { spiffeId }),
    ...(mesh === undefined ? {} : { mesh }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(Object.keys(attributes).length === 0 && random.chance(0.7)
      ? {}
      : { attributes: { ...stateAll(random, attributes, universe.sourceAliases), ...unknowable(random) } }),
    ...(random.chance(0.25) ? { complete: random.chance(0.4) } : {}),
    ...(random.chance(0.08) ? { complete: prefixes(random) } : {}),
  };
}

/** What those who share an identity differ in. */
function unknowable(random: Random): Record<string, StatedUnknown> {
  if (!random.chance(0.06)) return {};
  const key = random.pick([...Object.keys(universe.sourceKeys), 'spiffe:id']);
  return {
    [key]: { unknown: random.pick(unknowns), ...(random.chance(0.5) ? { pods: ['shop/a', 'shop/b'] } : {}) },
  };
}

function prefixes(random: Random): CompletePrefixes {
  const some = random.some(
    ['k8s:', 'k8s:label:', 'k8s:label:a', 'site:', 'cl:', 'spiffe:', 'kuma:', 'kuma:tag:'],
    0,
    3,
  );
  return Object.fromEntries(some.map((prefix) => [prefix, random.pick(trustLevels)]));
}

/** A workload's, or one that says what the attributes say. */
function idFor(random: Random, attributes: Readonly<Record<string, string>>, known: Known): string {
  const says = (id: string): boolean => {
    const read = readTemplate('/ns/{k8s:ns}/sa/{k8s:sa}', splitSpiffeId(id)!.path);
    return Object.entries(read ?? {}).every(([key, value]) => (attributes[key] ?? value) === value);
  };
  const ids = known.workloads.flatMap((one) => one.spiffeId ?? []);
  const both = ids.filter(says);
  if (both.length > 0 && random.chance(0.5)) return random.pick(both);
  if (ids.length > 0 && random.chance(0.7)) return random.pick(ids);
  return random.pick(universe.spiffeIds.filter(says));
}

/** Takes away what the ID contradicts, or says what it says. */
function agree(random: Random, attributes: Record<string, string>, id: string, known: Known): void {
  const parts = splitSpiffeId(id);
  if (parts === undefined) return;
  if ((attributes['spiffe:trust-domain'] ?? parts.domain) !== parts.domain)
    delete attributes['spiffe:trust-domain'];
  const trusted = known.trustDomains.find((one) => one.name === parts.domain);
  const read = trusted === undefined ? undefined : readTemplate(trusted.template, parts.path);
  const repeats = random.chance(0.2);
  for (const [key, value] of Object.entries(read ?? {})) {
    if (repeats) attributes[key] = value;
    else if (attributes[key] !== undefined && attributes[key] !== value) delete attributes[key];
  }
}

function stateAll(
  random: Random,
  attributes: Readonly<Record<string, string | StatedValue>>,
  names: Readonly<Record<string, string>>,
): Record<string, string | StatedValue> {
  const stated: Record<string, string | StatedValue> = {};
  const careful = random.chance(0.3);
  // Rarely by another name too, and so twice.
  const aliases = random.chance(0.06) ? names : {};
  for (const [canonical, value] of Object.entries(attributes)) {
    const key = aliases[canonical] ?? canonical;
    stated[key] = value;
    if (key !== canonical && random.chance(0.05)) stated[canonical] = value;
    if (typeof value !== 'string' || !careful || random.chance(0.5)) continue;
    stated[key] = {
      value,
      ...(random.chance(0.7) ? { trust: random.pick(universe.trusts) } : {}),
      ...(random.chance(0.5) ? { since: 1_000_000 - random.below(1000) } : {}),
    };
  }
  return stated;
}

function partsFor(random: Random, conditions: readonly TwinCondition[], atInbound: boolean) {
  const parts: { method?: string; path?: string; sni?: string } = {};
  // Often all but the request's own parts fits, so that a rule with less to ask decides.
  const stray = random.chance(0.4);
  for (const condition of conditions) {
    if (stray) break;
    if (condition.key === 'request:method') parts.method = valueFor(random, condition, universe.methods)!;
    if (condition.key === 'request:path') parts.path = valueFor(random, condition, universe.requestPaths)!;
    if (condition.key === 'request:sni') parts.sni = valueFor(random, condition, universe.snis)!;
  }
  if (random.chance(atInbound ? 0.9 : 0.2)) {
    parts.method ??= random.pick(universe.methods);
    parts.path ??= random.pick(universe.requestPaths);
  }
  if (random.chance(0.1)) parts.path = random.pick(universe.requestPaths);
  if (random.chance(0.03)) parts.path = random.pick(universe.ambiguousPaths);
  if (random.chance(0.2)) parts.sni ??= random.pick(universe.snis);
  if (parts.sni !== undefined && random.chance(0.3)) parts.sni = parts.sni.toUpperCase();
  return parts;
}

export function channelFor(random: Random): Channel | undefined {
  if (random.chance(0.72)) return undefined;
  if (random.chance(0.5)) return random.pick(callers);
  const any = () => random.pick(universe.trusts);
  const channel = { identity: any(), trust: any(), ceiling: any(), complete: random.chance(0.5) };
  return random.chance(0.4) ? { ...channel, serverNames: 'untold' } : channel;
}

/** [REQ5] Callers with the roles `assert`, `relay` and `decide`. */
const callers: readonly Channel[] = [
  { identity: 'reported', trust: 'reported', ceiling: 'reported', complete: false },
  { identity: 'attested', trust: 'asserted', ceiling: 'asserted', complete: false },
  { identity: 'asserted', trust: 'asserted', ceiling: 'asserted', complete: false },
];
