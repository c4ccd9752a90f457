import { type Authority, authority } from '../../support/certificates/index.ts';
import { reference } from '../reference.ts';
import type { attributesRequest } from '../workloads/a.ts';
import { satisfy } from '../workloads/access.ts';
import { generators } from '../workloads/index.ts';
import { seeded } from '../workloads/random.ts';
import type { PlainRule } from '../workloads/types.ts';
import { growing, type ServiceValues, service, sourceAttributes } from '../workloads/universe.ts';

/** A workload as Envoys ask about it: clients by their certificates, and all else is in documents. */
export interface World {
  readonly documents: readonly object[];
  readonly authorities: readonly Authority[];
  /** For all destinations that there are. */
  readonly questions: readonly Question[];
  /** Clients who are let in at one destination. */
  readonly friends: { readonly destination: Destination; readonly ids: readonly string[] };
}

export interface Question {
  readonly spiffeId: string;
  readonly destination: Destination;
  readonly path: string;
  /** By the rules, one by one. */
  readonly allowed: boolean;
}

export type Destination = Readonly<Record<string, string>>;

export const worlds = { S: worldOfS, A: worldOfA } as const;
export type WorldName = keyof typeof worlds;

interface RequestOfS {
  readonly source: { readonly spiffeId: string };
  readonly destination: Destination;
  readonly request: { readonly method: string; readonly path: string };
}

async function worldOfS(size: number, questions: number, friends: number): Promise<World> {
  const workload = generators.S(size, Math.max(questions, 20 * friends));
  const decide = reference(workload);
  const asked = workload.requests.map((text): Question => {
    const { source, destination, request } = JSON.parse(text) as RequestOfS;
    const allowed = decide(text).decision === 'allow';
    return { spiffeId: source.spiffeId, destination, path: request.path, allowed };
  });
  // All rules hold for the whole mesh.
  const letIn = new Set(asked.filter(({ allowed }) => allowed).map(({ spiffeId }) => spiffeId));
  return {
    documents: workload.documents,
    authorities: await Promise.all(Array.from({ length: 10 }, (_, n) => authority(`td${n}.example`))),
    questions: asked.slice(0, questions),
    friends: {
      destination: { mesh: 'default', dataplane: 'backend-0', inbound: 'http' },
      ids: [...letIn].slice(0, friends),
    },
  };
}

const trustDomain = 'td.example';
/** Where all services are. Clients are anywhere. */
const site = { 'site:name': 'site-1', 'site:location': 'aws/us-east/vpc1' };
type Attributes = Readonly<Record<string, string>>;

/** Of clients their certificates tell the ID; 14 attributes of each, and 6 of a service, are what documents say. */
async function worldOfA(size: number, questions: number, friends: number): Promise<World> {
  const random = seeded(7_000 + size);
  const universe = growing(size);
  const { documents, rules, requests } = generators.A(size, 10 * questions);
  const clients = new Map<string, Attributes>();
  /** Undefined: somebody else has its ID. */
  const clientOf = (attributes: Attributes): string | undefined => {
    const id = `spiffe://${trustDomain}/ns/${attributes['k8s:ns']}/sa/${attributes['k8s:sa']}`;
    if (clients.has(id)) return undefined;
    clients.set(id, attributes);
    return id;
  };
  const decide = reference({ ...generators.A(0, 0), rules });
  const allowed = (source: Attributes, to: ServiceValues): boolean => {
    const destination = { namespace: to.namespace, attributes: { ...attributesOf(to), ...site } };
    const request = { source: { attributes: source }, destination };
    return decide(JSON.stringify(request)).decision === 'allow';
  };
  const services = new Map(
    Array.from({ length: universe.services }, (_, n) => [`svc-${n}`, service(universe, n)]),
  );

  const [yes, no]: [Question[], Question[]] = [[], []];
  for (const text of requests) {
    const { source, destination } = JSON.parse(text) as ReturnType<typeof attributesRequest>;
    const to = services.get(destination.attributes['service:name'] ?? '') as ServiceValues;
    const lets = allowed(source.attributes, to);
    const among = lets ? yes : no;
    if (among.length === questions / 2) continue;
    const spiffeId = clientOf(source.attributes);
    if (spiffeId !== undefined)
      among.push({ spiffeId, destination: destinationOf(to), path: '/items/1', allowed: lets });
  }
  if (yes.length !== no.length) throw new Error(`got ${yes.length} allowed and ${no.length} denied`);

  const busiest = mostAllowed([...services.values()], rules);
  const ids: string[] = [];
  while (ids.length < friends) {
    const attributes = sourceAttributes(random, universe);
    satisfy(random, attributes, random.pick(busiest.rules));
    const id = allowed(attributes, busiest.to) ? clientOf(attributes) : undefined;
    if (id !== undefined) ids.push(id);
  }
  return {
    documents: [
      ...documents,
      siteDocument,
      ...[...services.values()].map(serviceDocument),
      ...Array.from(clients, ([id, attributes]) => workloadDocument(id, attributes)),
    ],
    authorities: [await authority(trustDomain)],
    questions: yes.flatMap((one, i) => [one, no[i]!]),
    friends: { destination: destinationOf(busiest.to), ids },
  };
}

/** The service that most rules let somebody in at. */
function mostAllowed(services: readonly ServiceValues[], rules: readonly PlainRule[]) {
  const allows = rules.filter(({ tier }) => tier === 3);
  const all = services.map((to) => {
    const values: Attributes = { ...attributesOf(to), 'placet:namespace': to.namespace };
    const fitting = allows.filter(({ when }) =>
      when.every(({ side, key, values: wanted }) => side === 'source' || wanted.includes(values[key] ?? '')),
    );
    return { to, rules: fitting };
  });
  return all.reduce((most, one) => (one.rules.length > most.rules.length ? one : most));
}

function attributesOf({ name, namespace, app, tier }: ServiceValues): Attributes {
  return { 'service:name': name, 'k8s:ns': namespace, 'k8s:label:app': app, 'k8s:label:tier': tier };
}

function destinationOf({ namespace, name }: ServiceValues): Destination {
  return { service: `${namespace}/${name}` };
}

const apiVersion = 'placet.dev/v1alpha1';
const siteDocument = {
  apiVersion,
  kind: 'Site',
  metadata: { name: site['site:name'] },
  spec: { local: true, location: site['site:location'], trustDomains: [trustDomain] },
};

function serviceDocument({ name, namespace, app, tier }: ServiceValues): object {
  return { apiVersion, kind: 'Service', metadata: { name, namespace, labels: { app, tier } } };
}

const ofLabel = 'k8s:label:';

function workloadDocument(spiffeId: string, given: Attributes): object {
  const {
    'k8s:pod': name,
    'k8s:ns': namespace,
    'k8s:sa': serviceAccount,
    'k8s:owner': owner,
    'k8s:container-image': image,
    ...rest
  } = given;
  const others = Object.entries(rest);
  const labels = others.filter(([key]) => key.startsWith(ofLabel));
  const attributes = others.filter(([key]) => !key.startsWith(ofLabel));
  return {
    apiVersion,
    kind: 'Workload',
    metadata: {
      ...{ name, namespace },
      labels: Object.fromEntries(labels.map(([key, value]) => [key.slice(ofLabel.length), value])),
    },
    spec: { spiffeId, serviceAccount, owner, images: [image], attributes: Object.fromEntries(attributes) },
  };
}
