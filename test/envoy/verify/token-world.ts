import { generateKeyPairSync } from 'node:crypto';

/** A service that two peers may call with tokens, and what policies say of their workloads. */

function key(kid: string) {
  return { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid };
}

export const peerDocument = (name: string, keys: readonly object[], trustUpTo: string) => ({
  type: 'Peer',
  name,
  gateway: `spiffe://${name}.example/gateway`,
  trustDomains: [`${name}.example`],
  keys,
  trustUpTo,
});

const access = (name: string, action: string, ...from: readonly object[]) => ({
  type: 'AccessPolicy',
  namespace: 'shop',
  name,
  spec: {
    action,
    from: from.map((matchExpressions) => ({ workloadSelector: { matchExpressions } })),
    to: [{ workloadSelector: {} }],
  },
});
const one = (name: string, operator: string, ...values: string[]) => ({
  key: name,
  operator,
  ...(values.length === 0 ? {} : { values }),
});

/** Without policies. */
export const placesWith = (peers: readonly object[]) => [
  { type: 'Site', name: 'eu-1', local: true, gateway: 'spiffe://here.example/gateway' },
  { type: 'Site', name: 'us-1', location: 'aws/us-east' },
  ...peers,
  { type: 'Service', namespace: 'shop', name: 'pay' },
];

export const documentsWith = (peers: readonly object[]) => [
  ...placesWith(peers),
  {
    ...access('banned', 'deny', [one('spiffe:id', 'In', 'spiffe://us-1.example/ns/old')]),
    type: 'PrivilegedAccessPolicy',
    namespace: undefined,
  },
  access('interns', 'deny', [one('k8s:label:role', 'In', 'intern')]),
  access('readers', 'allow', [{ ...one('k8s:label:role', 'In', 'reader'), trust: 'observed' }]),
  access('staff', 'allow', [one('k8s:ns', 'NotIn', 'guests'), one('k8s:label:team', 'Exists')]),
  access('trial', 'allowWithShadowDeny', [one('k8s:label:app', 'In', 'trial')]),
  access('from-us', 'allow', [one('site:location', 'In', 'aws/us-east'), one('k8s:sa', 'In', 'web')]),
];

export const documents = documentsWith([
  peerDocument('us-1', [key('u')], 'observed'),
  peerDocument('ap-1', [key('a')], 'reported'),
]);

export const destination = { service: 'shop/pay' };
