import type { Random } from './random.ts';

/** Who and what there is: the values that rules and requests of A, H, M and U are drawn from. */
export interface Universe {
  readonly namespaces: number;
  readonly services: number;
  readonly accounts: number;
  readonly apps: number;
}

/** A grows with its rules; H does not, so that there hundreds of policies share their first conditions. */
export function growing(size: number): Universe {
  return {
    namespaces: Math.max(10, Math.floor(size / 20)),
    services: Math.max(40, Math.floor(size / 4)),
    accounts: Math.max(20, Math.floor(size / 10)),
    apps: Math.max(40, Math.floor(size / 4)),
  };
}
export const dense: Universe = { namespaces: 100, services: 400, accounts: 200, apps: 400 };

const clouds = ['aws', 'gcp', 'azure'];
const regions = ['us-east', 'us-west', 'eu-west', 'ap-south'];
const locations = clouds.flatMap((cloud) =>
  regions.flatMap((region) => [1, 2, 3, 4, 5].map((vpc) => `${cloud}/${region}/vpc${vpc}`)),
);

export const serviceTiers = ['db', 'cache', 'front', 'queue', 'batch'];

export interface ServiceValues {
  readonly name: string;
  readonly namespace: string;
  readonly app: string;
  readonly tier: string;
}

export function service(of: Universe, index: number): ServiceValues {
  return {
    name: `svc-${index}`,
    namespace: `team-${index % of.namespaces}`,
    app: `app-${index % of.apps}`,
    tier: serviceTiers[index % serviceTiers.length]!,
  };
}

type Draw = (random: Random, of: Universe) => string;

/** The source keys that rules ask about, each with how a value of it is drawn. */
export const sourceDraws: Readonly<Record<string, Draw>> = {
  'k8s:ns': (random, of) => `team-${random.int(of.namespaces)}`,
  'k8s:sa': (random, of) => `account-${random.int(of.accounts)}`,
  'k8s:label:app': (random, of) => `app-${random.int(of.apps)}`,
  'k8s:label:role': (random) => `role-${random.int(10)}`,
  'k8s:label:tier': (random) => random.pick(serviceTiers),
  'k8s:label:team': (random) => `group-${random.int(50)}`,
  'site:location': (random) => random.pick(locations),
};
export const sourceKeys = Object.keys(sourceDraws);

/** A location as a policy writes it: the whole of it or its first one or two segments. */
export function locationPattern(random: Random): string {
  return random
    .pick(locations)
    .split('/')
    .slice(0, 1 + random.int(3))
    .join('/');
}

/** A location that lies at or below a pattern. */
export function locationUnder(random: Random, pattern: string): string {
  return random.pick(locations.filter((one) => one === pattern || one.startsWith(`${pattern}/`)));
}

/** All fourteen attributes of a source, as a gateway sends them. */
export function sourceAttributes(random: Random, of: Universe): Record<string, string> {
  const drawn: Record<string, string> = {};
  for (const key of sourceKeys) drawn[key] = sourceDraws[key]!(random, of);
  const app = drawn['k8s:label:app']!;
  return {
    ...drawn,
    'k8s:label:version': `v${random.int(20)}`,
    'k8s:pod': `${app}-${(0x10000 + random.int(0xeffff)).toString(16)}-${random.int(1_000)}`,
    'k8s:owner': `Deployment/${app}`,
    'k8s:container-image': `registry.example/${app}@sha256:${random.int(0xffffff).toString(16).padStart(8, '0')}`,
    'site:name': `site-${random.int(60)}`,
    'site:environment': random.chance(0.8) ? 'production' : 'staging',
    'cl:fabric': 'acme',
  };
}

/** All six attributes of a destination. */
export function destinationAttributes(random: Random, of: ServiceValues): Record<string, string> {
  return {
    'service:name': of.name,
    'k8s:ns': of.namespace,
    'k8s:label:app': of.app,
    'k8s:label:tier': of.tier,
    'site:name': `site-${random.int(60)}`,
    'site:location': random.pick(locations),
  };
}
