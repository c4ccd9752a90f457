import fc from 'fast-check';

/** Random policies and proxies of one mesh, small enough that they meet, and right by themselves. */

const namespaces = ['shop', 'bank'] as const;
const zones = ['east', 'west'] as const;
const services = ['web', 'db'] as const;

export interface Policy {
  readonly type: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: {
    readonly targetRef?: Readonly<Record<string, unknown>>;
    readonly to?: readonly { readonly targetRef: Readonly<Record<string, unknown>> }[];
    readonly from?: readonly object[];
    readonly conf?: unknown;
    readonly default?: unknown;
  };
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const tags = fc.dictionary(
  fc.constantFrom('version', 'kuma.io/service', 'k8s.kuma.io/namespace', 'kuma.io/zone'),
  fc.constantFrom('v1', 'web', 'shop', 'east', '!v1', '!bank'),
  { maxKeys: 2, noNullPrototype: true },
);

const topRef = fc.oneof(
  fc.constant({}),
  fc.constantFrom({ kind: 'Mesh' }, { kind: 'Mesh', proxyTypes: ['Sidecar'] }),
  tags.map((tags) => ({ kind: 'MeshSubset', tags })),
  fc.constantFrom(...services).map((name) => ({ kind: 'MeshService', name })),
  fc.tuple(fc.constantFrom(...services), tags).map(([name, tags]) => ({ kind: 'ServiceSubset', name, tags })),
  fc.constantFrom(
    { kind: 'Dataplane' },
    { kind: 'Proxy', name: 'p0' },
    { kind: 'Dataplane', sectionName: 80 },
  ),
  fc.constantFrom(
    { kind: 'Dataplane', labels: { app: 'a' } },
    { kind: 'Dataplane', name: 'p1', sectionName: '81' },
  ),
);

const toRef = fc.oneof(
  fc.constant({ kind: 'Mesh' }),
  fc
    .tuple(fc.constantFrom('MeshService', 'MeshHTTPRoute'), maybe(fc.constantFrom(...namespaces)))
    .map(([kind, namespace]) => ({ kind, name: 'web', ...(namespace && { namespace }) })),
);

const body = fc.oneof(
  fc
    .array(toRef, { maxLength: 2 })
    .map((refs) => ({ to: refs.map((targetRef) => ({ targetRef, default: { a: 1 } })) })),
  fc
    .array(toRef, { maxLength: 2 })
    .map((refs) => ({ conf: { to: refs.map((targetRef) => ({ targetRef, a: 1 })) } })),
  fc.constantFrom(
    { from: [{ default: { a: 1 } }] },
    { from: [{ targetRef: { kind: 'Mesh' }, default: {} }] },
  ),
  fc.constant({ conf: { from: [{ a: 1 }] } }),
);

export const policies: fc.Arbitrary<readonly Policy[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'B', 'c'),
      namespace: maybe(fc.constantFrom('kuma-system', ...namespaces)),
      origin: maybe(fc.constantFrom('zone', 'global')),
      zone: maybe(fc.constantFrom(...zones)),
      top: maybe(topRef),
      body,
    }),
    { maxLength: 8 },
  )
  .map((all) =>
    all.map(({ name, namespace, origin, zone, top, body }) => ({
      type: 'MeshTimeout',
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...(origin && { 'kuma.io/origin': origin }), ...(zone && { 'kuma.io/zone': zone }) },
      spec: { ...(top && { targetRef: top }), ...body },
    })),
  );

export const dataplanes = fc
  .array(
    fc.record({
      namespace: maybe(fc.constantFrom(...namespaces)),
      zone: maybe(fc.constantFrom(...zones)),
      app: fc.constantFrom('a', 'b'),
      inbounds: fc.array(
        fc.dictionary(
          fc.constantFrom('version', 'kuma.io/service', 'k8s.kuma.io/namespace'),
          fc.constantFrom('v1', 'web', 'db', 'shop'),
          { maxKeys: 3, noNullPrototype: true },
        ),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) =>
    all.map(({ namespace, zone, app, inbounds }, index) => ({
      type: 'Dataplane',
      name: `p${index}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { app, ...(zone && { 'kuma.io/zone': zone }) },
      networking: { inbound: inbounds.map((tags, at) => ({ port: 80 + at, tags })) },
    })),
  );
