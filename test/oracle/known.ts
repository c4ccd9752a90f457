import type { AttributeRuleShape, Body, Header, InboundShape, Shape, Texts } from './shapes.ts';
import { headerOf } from './shapes.ts';

/** What the documents say there is: meshes, dataplanes, services, workloads, and this site. */

export interface KnownInbound {
  name: string | undefined;
  port: number;
  protocol: string | undefined;
  tags: Readonly<Record<string, readonly string[]>>;
}

export interface KnownDataplane {
  mesh: string;
  name: string;
  labels: Texts;
  inbounds: KnownInbound[];
  /** The tags of one that is a gateway. */
  gateway: Texts | undefined;
}

export interface KnownThing {
  namespace: string;
  name: string;
  attributes: Texts;
}

export interface KnownWorkload extends KnownThing {
  spiffeId: string | undefined;
}

export interface Known {
  meshes: { name: string; accessPolicies: string; trustDomains: string[] }[];
  dataplanes: KnownDataplane[];
  services: KnownThing[];
  workloads: KnownWorkload[];
  site: Body;
  siteAttributes: Texts;
  /** [SRC5] With the template that says where namespace and service account stand. */
  trustDomains: { name: string; template: string }[];
  attributeRules: AttributeRuleShape[];
  /** [SRC14] Trust domains that this site lists and no other does. */
  ownDomains: string[];
}

const defaultTemplate = '/ns/{k8s:ns}/sa/{k8s:sa}';

export function knownFrom(shapes: readonly Shape[]): Known {
  const headers = shapes.map(headerOf);
  const sites = headers.filter((header) => header.kind === 'Site');
  let own = sites.length === 1 ? sites[0] : undefined;
  for (const site of sites) if ((site.body as Body).local === true) own = site;
  const site = (own?.body ?? {}) as Body;

  const others = sites.filter((one) => one !== own).flatMap(domainsOf);
  const known: Known = {
    meshes: [],
    dataplanes: [],
    services: [],
    workloads: [],
    site,
    siteAttributes: own === undefined ? {} : attributesOfSite(own),
    trustDomains: [],
    attributeRules: site.attributeRules ?? [],
    ownDomains: own === undefined ? [] : domainsOf(own).filter((name) => !others.includes(name)),
  };
  for (const header of sites)
    for (const domain of (header.body as Body).trustDomains ?? [])
      known.trustDomains.push(
        typeof domain === 'string'
          ? { name: domain, template: defaultTemplate }
          : { name: domain.name, template: domain.template ?? defaultTemplate },
      );
  for (const header of headers) {
    const body = header.body as Body;
    if (header.kind === 'Mesh') {
      const trustDomains = (body.trustDomains ?? []).filter((name) => typeof name === 'string');
      known.meshes.push({ name: header.name, accessPolicies: body.accessPolicies ?? 'denies', trustDomains });
      for (const name of trustDomains) known.trustDomains.push({ name, template: defaultTemplate });
    }
    if (header.kind === 'Dataplane') known.dataplanes.push(dataplane(header, body));
    if (header.kind === 'Service') known.services.push(service(header, body));
    if (header.kind === 'Workload') known.workloads.push(workload(header, body));
  }
  return known;
}

function domainsOf(site: Header): string[] {
  const domains = (site.body as Body).trustDomains ?? [];
  return domains.map((domain) => (typeof domain === 'string' ? domain : domain.name));
}

function attributesOfSite(header: Header): Texts {
  const body = header.body as Body;
  const attributes: Record<string, string> = { ...body.attributes, 'site:name': header.name };
  if (body.location !== undefined) attributes['site:location'] = body.location;
  if (body.environment !== undefined) attributes['site:environment'] = body.environment;
  if (body.fabric !== undefined) attributes['cl:fabric'] = body.fabric;
  return attributes;
}

/** Ours has `inbounds`, Kuma's `networking.inbound`. */
function dataplane(header: Header, body: Body): KnownDataplane {
  const written = body.inbounds ?? body.networking?.inbound ?? [];
  const inbounds = written.filter((one) => one.state !== 'Ignored');
  const labels: Record<string, string> = { ...header.labels };
  if (header.namespace !== undefined) labels['k8s.kuma.io/namespace'] ??= header.namespace;
  const gateway = body.networking?.gateway?.tags;
  return { mesh: header.mesh, name: header.name, labels, inbounds: inbounds.map(inbound), gateway };
}

function inbound(shape: InboundShape): KnownInbound {
  const tags: Record<string, readonly string[]> = {};
  for (const [tag, value] of Object.entries(shape.tags ?? {}))
    tags[tag] = typeof value === 'string' ? [value] : value;
  const protocol = shape.protocol ?? tags['kuma.io/protocol']?.[0];
  return { name: shape.name, port: shape.port, protocol, tags };
}

function labelsAsAttributes(labels: Texts): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [label, value] of Object.entries(labels)) attributes[`k8s:label:${label}`] = value;
  return attributes;
}

/** [DST3] */
function service(header: Header, body: Body): KnownThing {
  const namespace = header.namespace ?? '';
  return {
    namespace,
    name: header.name,
    attributes: {
      ...labelsAsAttributes(header.labels),
      ...body.attributes,
      'k8s:ns': namespace,
      'service:name': header.name,
    },
  };
}

function workload(header: Header, body: Body): KnownWorkload {
  const attributes: Record<string, string> = {
    ...labelsAsAttributes(header.labels),
    ...body.attributes,
    'k8s:ns': header.namespace ?? '',
    'k8s:pod': header.name,
  };
  if (body.serviceAccount !== undefined) attributes['k8s:sa'] = body.serviceAccount;
  if (body.owner !== undefined) attributes['k8s:owner'] = body.owner;
  if (body.images !== undefined) attributes['k8s:container-image'] = encodeImages(body.images);
  if (body.initImages !== undefined) attributes['k8s:init-container-image'] = encodeImages(body.initImages);
  return { namespace: header.namespace ?? '', name: header.name, attributes, spiffeId: body.spiffeId };
}

function encodeImages(images: readonly string[]): string {
  if (images.length === 1) return images[0]!;
  return Buffer.from([...images].sort().join(',')).toString('base64');
}
