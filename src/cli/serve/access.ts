import type { Role } from '../../pdp/model/request.ts';
import { exit, Failure } from '../failure.ts';
import { type Address, isLocal } from './address.ts';
import type { CallerRule, Config } from './config-schema.ts';

const ofThisMachine: readonly Role[] = ['decide', 'relay', 'assert', 'explain'];

/** Who may call, by the configuration and by where it listens; or why it is not listened there. */
export function accessOf(
  { callers, listen, tls, kubernetes }: Config,
  address: Address,
): readonly CallerRule[] {
  const local = isLocal(address);
  const own = address.kind === 'socket' ? 'socket' : 'loopback';
  if (!local && (tls === undefined || callers === undefined))
    throw new Failure(
      exit.usage,
      `does not listen on ${listen} without knowing who calls`,
      `set ${[...(tls === undefined ? ['tls'] : []), ...(callers === undefined ? ['callers'] : [])].join(' and ')}, or listen on a loopback address`,
    );
  for (const way of ['loopback', 'socket'] as const)
    if (callers?.some((rule) => rule[way] === true) === true && !(local && own === way))
      throw new Failure(
        exit.usage,
        `got callers by "${way}" and listen ${listen}`,
        `"${way}" says who calls only where it listens on ${way === 'socket' ? 'a Unix socket' : 'a loopback address'}`,
      );
  if (kubernetes === undefined && callers?.some((rule) => rule.serviceAccount !== undefined) === true)
    throw new Failure(
      exit.usage,
      'got callers by "serviceAccount" and no cluster to ask about their tokens',
      'set kubernetes, {} for the cluster that it runs in',
    );
  return callers ?? [{ [own]: true, roles: [...ofThisMachine] }];
}
