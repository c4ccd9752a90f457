import { neverPresent } from './model/aliases.ts';
import type { Channel, RequestDestination, StatedValue } from './model/request.ts';
import { keys } from './model/rule.ts';
import { weaker } from './model/trust.ts';
import type { Seen } from './seen.ts';
import type { Target, Targets } from './targets.ts';
import { fromNowhere, fromRequest } from './view-source.ts';

const fromInventory = 'the inventory';

/** What is asked for, key by key. Keys that Placet gives itself are no evidence and have no trust. */
export interface DestinationView {
  readonly target?: Target;
  see(key: string): Seen;
}

/** Undefined: the inventory has no such thing (SPEC REQ4). */
export function destinationView(
  given: RequestDestination,
  targets: Targets,
  channel: Channel,
): DestinationView | undefined {
  if (given.attributes !== undefined) return { see: (key) => seeGiven(key, given, channel) };
  const target = targetOf(given, targets);
  return target === undefined ? undefined : { target, see: (key) => seeTarget(key, given, target) };
}

function targetOf(given: RequestDestination, targets: Targets): Target | undefined {
  const { dataplane, mesh = 'default', inbound, service } = given;
  if (dataplane === undefined) return targets.services.get(service as string);
  const proxy = targets.dataplanes.get(mesh)?.get(dataplane);
  return inbound === undefined ? proxy?.whole : proxy?.inbounds.get(String(inbound));
}

function isOwn(key: string): boolean {
  return key.startsWith('kuma:') || key.startsWith('placet:');
}

function own(value: string, from: string): Seen {
  return { is: 'value', values: [value], from };
}

function seeTarget(key: string, given: RequestDestination, target: Target): Seen {
  if (neverPresent(key, 'destination')) return { is: 'absent', from: fromNowhere };
  if (key === keys.namespace && given.namespace !== undefined) return own(given.namespace, fromRequest);
  if (key === keys.section && target.sections !== undefined) {
    return { is: 'either', options: target.sections, from: fromInventory };
  }
  const trust = isOwn(key) ? {} : ({ trust: 'configured' } as const);
  const value = target.values.get(key);
  if (value !== undefined) {
    return {
      is: 'value',
      values: typeof value === 'string' ? [value] : value,
      from: fromInventory,
      ...trust,
    };
  }
  if (key === keys.namespace) return { is: 'unknown', from: fromNowhere, cause: 'no-namespace' };
  if (target.unknown.has(key)) return { is: 'unknown', from: fromInventory, cause: 'inbound-not-named' };
  return { is: 'absent', from: fromInventory, ...trust };
}

function seeGiven(key: string, given: RequestDestination, channel: Channel): Seen {
  if (neverPresent(key, 'destination')) return { is: 'absent', from: fromNowhere };
  if (key === keys.namespace) return seeNamespace(given, channel);
  if (isOwn(key)) return { is: 'absent', from: fromNowhere };
  const { attributes = {}, complete = channel.complete } = given;
  if (!Object.hasOwn(attributes, key)) {
    if (!complete) return { is: 'unknown', from: fromNowhere, cause: 'missing' };
    return { is: 'absent', from: fromRequest, trust: weaker(channel.trust, channel.ceiling) };
  }
  const stated = attributes[key] as string | StatedValue;
  const { value, trust = channel.trust } = typeof stated === 'string' ? { value: stated } : stated;
  return { is: 'value', values: [value], from: fromRequest, trust: weaker(trust, channel.ceiling) };
}

/** SPEC DST4. */
function seeNamespace(given: RequestDestination, channel: Channel): Seen {
  if (given.namespace !== undefined) return own(given.namespace, fromRequest);
  const seen = seeGiven(keys.k8sNamespace, given, channel);
  if (seen.is === 'value') return { is: 'value', values: seen.values, from: fromRequest };
  return { is: 'unknown', from: fromNowhere, cause: 'no-namespace' };
}
