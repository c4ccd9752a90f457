import type { Reason } from '../../pdp/model/decision.ts';

/** What a client may be told of a denial: nothing of policies, nor of what would help to get round them. */
export const messages: Readonly<Record<Reason, string>> = {
  rule: 'this is not allowed',
  default: 'this is not allowed',
  unidentified: 'the client did not say who it is',
  'invalid-source': 'the client could not prove who it is',
  conflict: 'what is known of the client contradicts itself',
  'shared-identity': 'too little is known of the client',
  'unknown-attribute': 'too little is known of the client',
  stale: 'what is known is too old to allow anything',
  'ambiguous-path': 'the path can be read in more than one way',
  'incomplete-request': 'the request does not show all that is needed to allow it',
  'unknown-destination': 'the destination is not known here',
  'peer-refused': 'the other site did not allow this',
  'token-refused': 'the token of the client was not accepted',
  'not-ready': 'nothing can be decided yet',
  'invalid-request': 'this is not a request',
};
