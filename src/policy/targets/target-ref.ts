/** What a policy speaks about: proxies at its top, destinations in `to`, clients in `from`. */

/** From the widest to the narrowest (SPEC REF2). */
const order = [
  ['Mesh'],
  ['MeshSubset'],
  ['MeshGateway'],
  ['MeshService', 'MeshMultiZoneService', 'MeshExternalService'],
  ['MeshServiceSubset'],
  ['Dataplane'],
  ['MeshGatewayRoute'],
  ['MeshHTTPRoute', 'MeshTCPRoute'],
] as const;

export type TargetKind = (typeof order)[number][number];

export const targetKinds: readonly TargetKind[] = order.flat();

/** What an item of `to` may name where nothing narrower is said. */
export const destinationKinds = [
  'Mesh',
  'MeshService',
  'MeshServiceSubset',
  'MeshMultiZoneService',
  'MeshExternalService',
  'MeshHTTPRoute',
  'MeshTCPRoute',
] as const satisfies readonly TargetKind[];

/** Other spellings of the same kinds. */
export const spellings: Readonly<Record<string, TargetKind>> = {
  Service: 'MeshService',
  ServiceSubset: 'MeshServiceSubset',
  Proxy: 'Dataplane',
  HTTPRoute: 'MeshHTTPRoute',
};

export type ProxyType = 'Sidecar' | 'Gateway';

export interface TargetRef {
  readonly kind: TargetKind;
  readonly name?: string;
  readonly namespace?: string;
  readonly mesh?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly sectionName?: string;
  /** With kinds Mesh and MeshSubset: only proxies of these types. */
  readonly proxyTypes?: readonly ProxyType[];
  /** Implied, never written: tags that its proxies have besides, where it has no field for them (SPEC NS3). */
  readonly within?: Readonly<Record<string, string>>;
}

/** As a document has it, once its schema held. */
export interface WrittenTargetRef {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly mesh?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly sectionName?: string | number | undefined;
  readonly proxyTypes?: readonly ProxyType[] | undefined;
}

/** Kinds with a rank of their own each, twice: a section of a thing is narrower than the thing. */
const ranks: ReadonlyMap<string, number> = new Map(
  order.flatMap((kinds, index) => kinds.map((kind) => [kind, 2 * index] as const)),
);

/** The larger, the narrower and the stronger. */
export function rankOf(ref: TargetRef | undefined): number {
  if (ref === undefined) return 0;
  return ranks.get(ref.kind)! + (ref.sectionName === undefined ? 0 : 1);
}

/** Without a kind, all of the mesh is meant. */
export function targetRefOf(written: WrittenTargetRef | undefined): TargetRef {
  const { kind = 'Mesh', sectionName, ...rest } = written ?? {};
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    kind: Object.hasOwn(spellings, kind) ? spellings[kind]! : (kind as TargetKind),
    ...given,
    ...(sectionName === undefined ? {} : { sectionName: String(sectionName) }),
  };
}

/** Of a mesh: routes of gateways are another matter. */
export function isRoute({ kind }: { readonly kind: string }): boolean {
  return kind === 'MeshHTTPRoute' || kind === 'MeshTCPRoute';
}
