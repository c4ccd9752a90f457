import type { Trust } from '../../src/pdp/model/trust.ts';

/** The shapes of documents that the generator emits and the twin reads. Wider than either: all fields are optional. */

export type Texts = Readonly<Record<string, string>>;

export interface Match {
  type: 'Exact' | 'Prefix' | 'PathPrefix';
  value: string;
}

export interface Matcher {
  spiffeId?: Match;
  spiffeID?: Match;
  path?: Match;
  sni?: Match;
  method?: string;
  dataplaneLabels?: Texts;
}

export interface Lists {
  deny?: Matcher[];
  allowWithShadowDeny?: Matcher[];
  allow?: Matcher[];
}

export interface TargetRef {
  kind?: string;
  name?: string;
  namespace?: string;
  labels?: Texts;
  sectionName?: string | number;
  mesh?: string;
  tags?: Texts;
  proxyTypes?: string[];
}

export interface FromItem {
  targetRef?: TargetRef;
  default: { action: string };
}

/** In the older form, where the first one wins. */
export interface FirstItem {
  targetRef?: TargetRef;
  action: string;
}

export interface PermissionSpec {
  targetRef?: TargetRef;
  default?: Lists;
  rules?: { default: Lists }[];
  from?: FromItem[];
  conf?: { from: FirstItem[] };
}

export interface Expression {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values?: string[];
  trust?: Trust;
}

export interface Selector {
  matchLabels?: Texts;
  matchExpressions?: Expression[];
}

export interface AccessSpec {
  action: 'allow' | 'deny' | 'allowWithShadowDeny' | 'denyWithShadowAllow';
  trust?: Trust;
  description?: string;
  from: { workloadSelector: Selector }[];
  to: { workloadSelector: Selector }[];
}

export interface InboundShape {
  name?: string;
  port: number;
  servicePort?: number;
  protocol?: string;
  tags?: Readonly<Record<string, string | readonly string[]>>;
  state?: string;
}

export interface AttributeRuleShape {
  keys: string[];
  from: { site?: Selector; namespaces: string[] }[];
}

/** What stands under `spec`, or beside `type` in the short form. */
export interface Body {
  certificates?: 'spiffe' | 'tags';
  accessPolicies?: 'full' | 'denies';
  nameOrder?: string;
  inbounds?: InboundShape[];
  networking?: { address?: string; inbound?: InboundShape[]; gateway?: { type: string; tags: Texts } };
  attributes?: Texts;
  serviceAccount?: string;
  spiffeId?: string;
  images?: string[];
  initImages?: string[];
  owner?: string;
  local?: boolean;
  location?: string;
  environment?: string;
  fabric?: string;
  trustDomains?: (string | { name: string; template?: string })[];
  floor?: Trust;
  hierarchical?: string[];
  attributeRules?: AttributeRuleShape[];
}

export interface Shape extends Body {
  type?: string;
  apiVersion?: string;
  kind?: string;
  metadata?: { name: string; namespace?: string; labels?: Texts };
  name?: string;
  namespace?: string;
  mesh?: string;
  labels?: Texts;
  spec?: unknown;
}

/** What every document says of itself, whichever form it is in. */
export interface Header {
  kind: string;
  name: string;
  namespace: string | undefined;
  mesh: string;
  labels: Texts;
  body: unknown;
}

/** Kinds whose namespace is `default` where none is written, as in Kubernetes. */
const namespaced = ['AccessPolicy', 'Service', 'Workload'];

export function headerOf(shape: Shape): Header {
  const header = written(shape);
  if (header.namespace === undefined && namespaced.includes(header.kind)) header.namespace = 'default';
  return header;
}

function written(shape: Shape): Header {
  if (shape.type !== undefined) {
    return {
      kind: shape.type,
      name: shape.name ?? '',
      namespace: shape.namespace,
      mesh: shape.mesh ?? 'default',
      labels: shape.labels ?? {},
      body: shape.spec ?? shape,
    };
  }
  const labels = shape.metadata?.labels ?? {};
  return {
    kind: shape.kind ?? '',
    name: shape.metadata?.name ?? '',
    namespace: shape.metadata?.namespace,
    mesh: shape.mesh ?? labels['kuma.io/mesh'] ?? 'default',
    labels,
    body: shape.spec ?? {},
  };
}
