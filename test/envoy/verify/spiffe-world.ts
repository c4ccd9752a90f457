import * as b from '../interpreter/build.ts';

/** Policies of the SPIFFE form, and by hand what Envoy must be given for them: every tier that they can have. */

export const documents = [
  { type: 'Mesh', name: 'shop', trustDomains: ['td', 'partner'] },
  {
    type: 'Dataplane',
    mesh: 'shop',
    name: 'web-1',
    labels: { app: 'web', 'k8s.kuma.io/namespace': 'shop' },
    inbounds: [{ name: 'http', port: 8080, protocol: 'http' }],
  },
  {
    type: 'PrivilegedAccessPolicy',
    name: 'banned',
    spec: {
      action: 'deny',
      from: [{ workloadSelector: { matchLabels: { 'spiffe:id': 'spiffe://td/ns/banned' } } }],
      to: [{ workloadSelector: {} }],
    },
  },
  {
    type: 'MeshTrafficPermission',
    mesh: 'shop',
    name: 'operator',
    spec: {
      default: {
        deny: [
          { spiffeId: { type: 'Exact', value: 'spiffe://td/ns/a/sa/bad' } },
          {
            spiffeId: { type: 'PathPrefix', value: 'spiffe://td/ns/obs' },
            path: { type: 'Exact', value: '/metrics/secret' },
          },
        ],
        allowWithShadowDeny: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td/ns/legacy/' } }],
        allow: [
          { spiffeId: { type: 'PathPrefix', value: 'spiffe://td/ns/a' } },
          { spiffeId: { type: 'Prefix', value: 'spiffe://td/ns/ban' } },
          {
            spiffeId: { type: 'PathPrefix', value: 'spiffe://td/ns/obs' },
            path: { type: 'PathPrefix', value: '/metrics' },
            method: 'GET',
          },
          {
            spiffeId: { type: 'Exact', value: 'spiffe://partner/ns/x/sa/y' },
            sni: { type: 'Exact', value: 'admin.example' },
          },
        ],
      },
    },
  },
];

export const destination = { mesh: 'shop', dataplane: 'web-1', inbound: 'http' };

const id = (matcher: object) => b.single(b.uri, matcher as never);
const path = (matcher: object) => b.single(b.header(':path'), matcher as never);
const under = (read: typeof id, value: string) =>
  b.either(read({ exact: value }), read({ prefix: `${value}/` }));
const regex = (pattern: string) => ({ safe_regex: { google_re2: {}, regex: pattern } });

export const valid =
  'spiffe://[a-z0-9._-]{1,255}(?:/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.\\.[A-Za-z0-9._-]+))*';
const ambiguous =
  '[^/?].*|[^?]*(?:%(?:2[fF]|5[cC]|00)|#|%(?:[^0-9a-fA-F]|.[^0-9a-fA-F])).*|[^?]*%.?(?:\\?.*)?';

/** RE2 counts to 1000 at most. */
const tooLong = '[!-~]{1000}[!-~]{1000}[!-~]{48}[!-~]+';

const invalidSource = [
  b.either(b.not(id(regex(valid))), id(regex(tooLong))),
  b.action('invalid-source', 'DENY'),
] as const;
const ambiguousPath = [path(regex(ambiguous)), b.action('ambiguous-path', 'DENY')] as const;
const banned = [under(id, 'spiffe://td/ns/banned'), b.action('banned', 'DENY')] as const;
const bad = [id({ exact: 'spiffe://td/ns/a/sa/bad' }), b.action('deny', 'DENY')] as const;
const secret = [
  b.both(
    under(id, 'spiffe://td/ns/obs'),
    b.either(path({ exact: '/metrics/secret' }), path({ prefix: '/metrics/secret?' })),
  ),
  b.action('deny', 'DENY'),
] as const;
const legacy = id({ prefix: 'spiffe://td/ns/legacy/' });
const metrics = b.both(
  under(id, 'spiffe://td/ns/obs'),
  b.either(path({ exact: '/metrics' }), path({ prefix: '/metrics?' }), path({ prefix: '/metrics/' })),
  b.single(b.header(':method'), { exact: 'GET' }),
);
const partner = b.both(
  id({ exact: 'spiffe://partner/ns/x/sa/y' }),
  b.single(b.serverName, { exact: 'admin.example' }),
);
const allows = [
  [under(id, 'spiffe://td/ns/a'), b.action('allow')],
  [id({ prefix: 'spiffe://td/ns/ban' }), b.action('allow')],
  [metrics, b.action('allow')],
  [partner, b.action('allow')],
] as const;
const none = b.action('default', 'DENY');

export const list = b.http({
  matcher: b.list(
    [invalidSource, ambiguousPath, banned, bad, secret, [legacy, b.action('allow-legacy')], ...allows],
    none,
  ),
  shadow_matcher: b.list(
    [invalidSource, ambiguousPath, banned, bad, secret, [legacy, b.action('shadow-deny', 'DENY')], ...allows],
    none,
  ),
});

const secretPaths = b.either(path({ exact: '/metrics/secret' }), path({ prefix: '/metrics/secret?' }));
const metricPaths = b.both(
  b.either(path({ exact: '/metrics' }), path({ prefix: '/metrics?' }), path({ prefix: '/metrics/' })),
  b.single(b.header(':method'), { exact: 'GET' }),
);

function tree(legacyAction: object) {
  const secretly = { matcher: b.list([[secretPaths, b.action('deny', 'DENY')]]) };
  const reads = { matcher: b.list([[metricPaths, b.action('allow')]]) };
  const prefixes = b.tree(
    'prefix',
    b.uri,
    {
      'spiffe://td/ns/legacy/': legacyAction,
      'spiffe://td/ns/a/': b.action('allow'),
      'spiffe://td/ns/ban': b.action('allow'),
      'spiffe://td/ns/obs/': reads,
    },
    none,
  );
  const allowed = b.tree(
    'exact',
    b.uri,
    {
      'spiffe://td/ns/a': b.action('allow'),
      'spiffe://td/ns/obs': reads,
      'spiffe://partner/ns/x/sa/y': {
        matcher: b.list([[b.single(b.serverName, { exact: 'admin.example' }), b.action('allow')]]),
      },
    },
    { matcher: prefixes },
  );
  const denied = b.tree('prefix', b.uri, { 'spiffe://td/ns/obs/': secretly }, { matcher: allowed });
  const exactly = b.tree(
    'exact',
    b.uri,
    { 'spiffe://td/ns/a/sa/bad': b.action('deny', 'DENY'), 'spiffe://td/ns/obs': secretly },
    { matcher: denied },
  );
  return b.list([invalidSource, ambiguousPath, banned], { matcher: exactly });
}

export const trees = b.http({
  matcher: tree(b.action('allow-legacy')),
  shadow_matcher: tree(b.action('shadow-deny', 'DENY')),
});
