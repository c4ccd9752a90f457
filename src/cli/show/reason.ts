import type { Decision, Reason } from '../../pdp/model/decision.ts';
import { keys as ownKeys } from '../../pdp/model/rule.ts';
import { printable } from '../terminal/plain.ts';

const words: Readonly<Record<Reason, string>> = {
  rule: 'a rule matched',
  default: 'no rule matched',
  unidentified: 'the client shows no identity',
  'invalid-source': "the client's SPIFFE ID is not one",
  conflict: 'the client contradicts itself',
  'shared-identity': 'workloads that share the identity differ',
  'unknown-attribute': 'not known',
  stale: 'what is known of the client is too old',
  'ambiguous-path': 'the path can be read in two ways',
  'incomplete-request': 'the method or the path is missing',
  'unknown-destination': 'there is no such destination',
  'peer-refused': 'the peer refused',
  'token-refused': 'the token was refused',
  'not-ready': 'nothing is loaded yet',
  'invalid-request': 'this is no request',
};

/** The client has no part in it: the inventory says one namespace, the request another. */
const elsewhere = 'the destination is in another namespace than the request says';

export function reasonInWords({ reason, keys }: Pick<Decision, 'reason' | 'keys'>): string {
  if (reason === 'conflict' && keys?.length === 1 && keys[0] === ownKeys.namespace) return elsewhere;
  const about = (keys ?? []).map(printable).join(', ');
  return about === '' ? words[reason] : `${words[reason]}: ${about}`;
}
