import type { Role } from '../../pdp/model/request.ts';
import { exit, Failure } from '../failure.ts';
import { type Address, isLocal, readAddress } from './address.ts';
import type { CallerRule, Config } from './config-schema.ts';

const ofThisMachine: readonly Role[] = ['decide', 'relay', 'assert', 'explain'];

const nearby = ['loopback', 'socket'] as const;

/** Who may call at one of the addresses where it listens, by the configuration; or why it is not listened there. */
export function accessOf(config: Config, address: Address, listen = config.listen): readonly CallerRule[] {
  const { callers, tls, kubernetes } = config;
  if (!isLocal(address) && (tls === undefined || callers === undefined))
    throw new Failure(
      exit.usage,
      `does not listen on ${listen} without knowing who calls`,
      `set ${[...(tls === undefined ? ['tls'] : []), ...(callers === undefined ? ['callers'] : [])].join(' and ')}, or listen on a loopback address`,
    );
  const places = placesOf(config);
  const ways = places.map(({ at }) => wayTo(at));
  for (const way of nearby)
    if (callers?.some((rule) => rule[way] === true) === true && !ways.includes(way))
      throw new Failure(
        exit.usage,
        `got callers by "${way}" and ${places.map(({ said }) => said).join(' and ')}`,
        `"${way}" says who calls only where it listens on ${way === 'socket' ? 'a Unix socket' : 'a loopback address'}`,
      );
  if (kubernetes === undefined && callers?.some((rule) => rule.serviceAccount !== undefined) === true)
    throw new Failure(
      exit.usage,
      'got callers by "serviceAccount" and no cluster to ask about their tokens',
      'set kubernetes, {} for the cluster that it runs in',
    );
  const here = wayTo(address);
  if (callers === undefined) return [{ [here as 'loopback']: true, roles: [...ofThisMachine] }];
  // Rules for whoever is near hold where one listens nearby.
  return callers.filter((rule) => nearby.every((way) => rule[way] !== true || way === here));
}

/** How whoever is on this machine is known there, if nobody else can come. */
function wayTo(address: Address): (typeof nearby)[number] | undefined {
  if (!isLocal(address)) return undefined;
  return address.kind === 'socket' ? 'socket' : 'loopback';
}

function placesOf({ listen, envoy }: Config): { said: string; at: Address }[] {
  const all = [{ said: `listen ${listen}`, at: readAddress(listen) as Address }];
  if (envoy === undefined) return all;
  return [...all, { said: `envoy.listen ${envoy.listen}`, at: readAddress(envoy.listen) as Address }];
}
