/** A small, dense world in which things collide: names that are prefixes of each other, few values for each key. */

/** The first two are trusted by sites, the third by a mesh, the last by nobody. */
export const trustDomains = ['td.example', 'td', 'mesh.local', 'td.example.org'] as const;
export const namespaces = ['shop', 'obs', 'obs-evil', 'ob'] as const;
export const accounts = ['x', 'x1', 'web', 'web-1'] as const;

export const spiffeIds: readonly string[] = [
  ...trustDomains.flatMap((domain) =>
    namespaces.flatMap((namespace) =>
      accounts.map((account) => `spiffe://${domain}/ns/${namespace}/sa/${account}`),
    ),
  ),
  'spiffe://td.example',
  'spiffe://td.example/gateway',
  'spiffe://td.example/ns/obs',
  'spiffe://td.example/ns/obs/sa/x/deeper',
  'spiffe://td/obs/x',
];

export const spiffePrefixes: readonly string[] = [
  'spiffe://td',
  'spiffe://td.example',
  'spiffe://td.example/',
  'spiffe://td.example/ns/',
  'spiffe://td.example/ns/o',
  'spiffe://td.example/ns/ob',
  'spiffe://td.example/ns/obs',
  'spiffe://td.example/ns/obs/',
  'spiffe://td.example/ns/obs-',
  'spiffe://td.example/ns/obs/sa/x',
  'spiffe://td.example/ns/obs/sa/web',
  'spiffe://td.example/ns/shop/sa/',
  'spiffe://td/ns/obs',
  'spiffe://mesh.local/ns/shop',
];

/** Whole-segment prefixes must be IDs, but for a trailing slash. */
export const spiffeUnder: readonly string[] = [
  'spiffe://td',
  'spiffe://td.example',
  'spiffe://td.example/',
  'spiffe://td.example/ns',
  'spiffe://td.example/ns/ob',
  'spiffe://td.example/ns/obs',
  'spiffe://td.example/ns/obs/',
  'spiffe://td.example/ns/obs/sa/x',
  'spiffe://td/ns/obs',
  'spiffe://mesh.local/ns/shop/',
];

export const brokenIds = [
  'spiffe://td.example/',
  'spiffe://TD.example/ns/obs',
  'spiffe://td.example//ns',
  'spiffe://td.example/ns/../obs',
  'td.example/ns/obs/sa/x',
  'spiffe://td.example/ns/obs%2f',
  'spiffe://',
  '',
];

/** Paths as policies may write them: normal. */
export const policyPaths = [
  '/',
  '/metrics',
  '/metrics/',
  '/metrics/cpu',
  '/metricsx',
  '/m',
  '/admin',
  '/admin/users',
  '/api/v1',
] as const;

export const requestPaths = [
  ...policyPaths,
  '/metrics/cpu/0',
  '/metrics?cpu=1',
  '//metrics',
  '/metrics//cpu',
  '/admin/../metrics',
  '/./admin',
  '/%6detrics',
  '/metrics\\cpu',
  '/x/%2e%2E/admin/users?a=%2f',
  '/api/v1/%41',
  '/other',
] as const;

export const ambiguousPaths = [
  'metrics',
  '/metrics%2fcpu',
  '/admin%5C',
  '/a%',
  '/a%0',
  '/a%zz',
  '/%00',
  '/a#b',
  '*',
] as const;

export const methods = ['GET', 'POST', 'PUT', 'get'] as const;
export const snis = ['backend', 'backend.mesh', 'api.example'] as const;
export const meshes = ['default', 'other'] as const;
export const sections = ['http', 'admin', '8080', '9090', 'none'] as const;

/** Keys of a source, each with the few values there are. */
export const sourceKeys: Readonly<Record<string, readonly string[]>> = {
  'k8s:ns': namespaces,
  'k8s:sa': accounts,
  'k8s:label:app': ['web', 'web2', 'db'],
  'k8s:label:role': ['reader', 'writer'],
  'k8s:pod': ['p0', 'p1'],
  'site:name': ['eu-1', 'us-1'],
  'site:location': ['aws', 'aws/us-east', 'aws/us-east/vpc1', 'aws/us-east2'],
  'cl:site:region': ['eu', 'eu/west', 'eu/west1'],
  'cl:site:tier': ['gold', 'silver'],
  'k8s:container-image': ['registry.example/web@sha256:1', 'registry.example/web@sha256:2'],
  'spiffe:trust-domain': trustDomains,
  custom: ['1', '2', ''],
};

export const destinationKeys: Readonly<Record<string, readonly string[]>> = {
  'k8s:ns': namespaces,
  'service:name': ['pay', 'pay2', 'cart'],
  'k8s:label:app': ['web', 'web2', 'db'],
  'k8s:label:tier': ['db', 'front'],
  'cl:service:owner': ['payments', 'carts'],
  'site:name': ['eu-1', 'us-1'],
  'site:location': ['aws', 'aws/us-east', 'aws/us-east/vpc1', 'aws/us-east2'],
  'cl:site:region': ['eu', 'eu/west', 'eu/west1'],
  'kuma:tag:version': ['v1', 'v2'],
};

/** ClusterLink's names for some of them. */
export const sourceAliases: Readonly<Record<string, string>> = {
  'k8s:ns': 'client.clusterlink.net/namespace',
  'k8s:sa': 'client.clusterlink.net/service-account',
  'k8s:label:app': 'client.clusterlink.net/labels.app',
  'k8s:label:role': 'client.clusterlink.net/labels.role',
  'site:name': 'peer.clusterlink.net/name',
  'cl:site:region': 'peer.clusterlink.net/labels.region',
};

export const destinationAliases: Readonly<Record<string, string>> = {
  'k8s:ns': 'export.clusterlink.net/namespace',
  'service:name': 'export.clusterlink.net/name',
  'k8s:label:app': 'export.clusterlink.net/labels.app',
  'site:name': 'peer.clusterlink.net/name',
};

export const tags: Readonly<Record<string, readonly string[]>> = {
  'kuma.io/service': ['web', 'api'],
  version: ['v1', 'v2', 'v3'],
  env: ['dev', 'prod'],
};

/** Tags of inbounds, besides their service. */
export const inboundTags: Readonly<Record<string, readonly string[]>> = {
  version: ['v1', 'v2'],
  env: ['dev', 'prod'],
  'kuma.io/zone': ['zone-1', 'zone-2'],
};

export const services = ['pay', 'cart', 'pay2'] as const;
/** As policies name them, and as requests do. */
export const routes = ['r1', 'r2'] as const;
export const takenRoutes = ['r1', 'r2', 'shop/r1', 'obs/r1', 'none'] as const;

export const trusts = ['attested', 'configured', 'observed', 'reported', 'asserted'] as const;
