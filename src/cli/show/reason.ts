import type { Decision, Reason } from '../../pdp/model/decision.ts';
import { printable } from '../terminal/wrap.ts';

const words: Readonly<Record<Reason, string>> = {
  rule: 'a rule matched',
  default: 'no rule matched',
  unidentified: 'the client shows no identity',
  'invalid-source': "the client's SPIFFE ID is not one",
  conflict: 'the client contradicts itself',
  'shared-identity': 'workloads that share the identity differ, and a deny holds unless it is known not to',
  'unknown-attribute': 'something is not known, and a deny holds unless it is known not to',
  stale: 'what is known of the client is too old',
  'ambiguous-path': 'the path can be read in more than one way',
  'incomplete-request': 'the inbound speaks http, and the request lacks its method or its path',
  'unknown-destination': 'there is no such destination',
  'peer-refused': 'the peer refused',
  'token-refused': 'the token was refused',
  'not-ready': 'nothing is loaded yet',
  'invalid-request': 'this is no request',
};

export function reasonInWords(decision: Decision): string {
  const keys = decision.keys?.map(printable).join(', ');
  return keys ? `${words[decision.reason]}: ${keys}` : words[decision.reason];
}
