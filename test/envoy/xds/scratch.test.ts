import { afterEach, describe, expect, test, vi } from 'vitest';
import { Exporter } from '../../../src/envoy/export/exporter.ts';
import { ExportRefused } from '../../../src/envoy/export/refused.ts';
import { rbacOf } from '../../../src/envoy/export/render.ts';
import type { FilterKind } from '../../../src/envoy/export/types.ts';
import { binaryOf } from '../../../src/envoy/proto/binary.ts';
import { extensionName, type ProxyName } from '../../../src/envoy/xds/names.ts';
import { Renderer } from '../../../src/envoy/xds/render.ts';
import type { Loaded } from '../../../src/policy/load.ts';
import { generate } from '../../oracle/generate.ts';
import { Random } from '../../oracle/random.ts';
import { loadValues } from '../../policy/loading.ts';
import { Changing } from './changing.ts';

afterEach(() => vi.restoreAllMocks());

const exporterOf = ({ rules, inventory, snapshot }: Loaded) => new Exporter(rules, inventory, snapshot);

interface Wanted {
  readonly proxy: ProxyName;
  readonly name: string;
  readonly filter: FilterKind;
  readonly inbound: string;
  readonly position: 0 | 1;
}

/** Everything that nodes could ask for. */
function wantedOf({ inventory }: Loaded): readonly Wanted[] {
  return [...inventory.dataplanes.values()].flatMap(({ mesh, name: dataplane, inbounds }) =>
    inbounds.flatMap(({ name, port }) =>
      (['http', 'network'] as const).flatMap((filter) =>
        ([0, 1] as const).map((position) => {
          const inbound = name ?? String(port);
          const proxy = { mesh, dataplane };
          return { proxy, name: extensionName({ filter, inbound, position }), filter, inbound, position };
        }),
      ),
    ),
  );
}

/** Not counted. */
const fromScratch = Exporter.prototype.filters;

/** An export from scratch, or why there is none. */
function exported(exporter: Exporter, { proxy, name, filter, inbound, position }: Wanted) {
  try {
    const filters = fromScratch.call(exporter, { ...proxy, inbound }, filter);
    const typed_config = filters[position]?.typed_config ?? rbacOf(filter, {});
    return Buffer.from(binaryOf('envoy.config.core.v3.TypedExtensionConfig', { name, typed_config }));
  } catch (error) {
    if (error instanceof ExportRefused) return error;
    throw error;
  }
}

describe('what is kept', () => {
  test('[XDS11] [XDS3] is after any change what an export from scratch gives', { timeout: 60_000 }, () => {
    const filters = vi.spyOn(Exporter.prototype, 'filters');
    let [compared, otherwise, refused, changes] = [0, 0, 0, 0];
    for (let seed = 1; seed <= 120; seed++) {
      const changing = new Changing(new Random(seed), generate(seed, 0, 30).documents);
      let renderer: Renderer | undefined;
      const last = new Map<string, Buffer>();
      for (let step = 0; step < 12; step++) {
        if (!changing.change()) continue;
        changes++;
        const { loaded } = changing;
        if (renderer === undefined) renderer = new Renderer(exporterOf(loaded));
        else renderer.use(exporterOf(loaded));
        const fresh = exporterOf(loaded);
        const wanted = wantedOf(loaded);
        const keys = new Map(wanted.map((one) => [`${JSON.stringify(one.proxy)} ${one.name}`, one]));
        // Whoever was unknown meanwhile has nothing from before.
        for (const key of last.keys()) if (!keys.has(key)) last.delete(key);
        for (const [key, one] of keys) {
          const [got] = renderer.render(one.proxy, [one.name]).resources;
          const whole = exported(fresh, one);
          const before = last.get(key);
          compared++;
          if (whole instanceof ExportRefused) {
            refused++;
            const bytes = Buffer.from(got!.bytes);
            if (before === undefined) expect(got?.denies).toBe('not-exportable');
            else if (!bytes.equals(before)) expect.unreachable(`${seed} ${step} ${key}: not what it had`);
            continue;
          }
          if (!whole.equals(got!.bytes) || got?.denies !== undefined)
            expect.unreachable(`${seed} ${step} ${key}: not what an export from scratch gives`);
          if (before !== undefined && !whole.equals(before)) otherwise++;
          last.set(key, whole);
        }
      }
    }
    const made = filters.mock.calls.length;
    console.log(JSON.stringify({ changes, compared, otherwise, refused, made }));
    expect(changes).toBeGreaterThan(600);
    expect(otherwise).toBeGreaterThan(300);
    expect(refused).toBeGreaterThan(100);
    expect(made).toBeLessThan(compared / 4);
  });

  const mesh = (more: object) => ({ type: 'Mesh', name: 'default', trustDomains: ['td'], ...more });
  const plane = {
    type: 'Dataplane',
    name: 'node-0',
    labels: { app: 'app-0', 'k8s.kuma.io/namespace': 'shop' },
    inbounds: [{ name: 'http', port: 80, protocol: 'http', tags: { 'kuma.io/service': 'web' } }],
  };
  const site = (more: object) => ({ type: 'Site', name: 'eu', local: true, trustDomains: ['td'], ...more });
  const access = (matchLabels: object, more: object = {}) => ({
    type: 'AccessPolicy',
    namespace: 'shop',
    name: 'p',
    spec: {
      action: 'allow',
      from: [{ workloadSelector: { matchLabels, ...more } }],
      to: [{ workloadSelector: {} }],
    },
  });
  const workload = (role: string) => ({
    type: 'Workload',
    name: 'pod',
    namespace: 'shop',
    spiffeId: 'spiffe://td/ns/shop/sa/web',
    labels: { role },
  });
  const byRole = [mesh({ accessPolicies: 'full' }), plane, access({ 'k8s:label:role': 'reader' })];
  const byNamespace = [mesh({ accessPolicies: 'full' }), plane, access({ 'k8s:ns': 'shop' })];
  const byAccount = [mesh({ accessPolicies: 'full' }), plane, access({ 'k8s:sa': 'web' })];
  const roleFrom = (namespace: string) => ({
    attributeRules: [{ keys: ['k8s:label:role'], from: [{ namespaces: [namespace] }] }],
  });
  const tags = (of: string, action: string, targetRef: object) => ({
    type: 'MeshTrafficPermission',
    name: of,
    spec: {
      targetRef,
      from: [{ targetRef: { kind: 'MeshSubset', tags: { 'kuma.io/service': 'pay' } }, default: { action } }],
    },
  });
  const byTags = mesh({ certificates: 'tags', trustDomains: undefined });
  const here = { kind: 'Dataplane', labels: { app: 'app-0' } };
  const allow = (of: string, targetRef: object) => ({
    type: 'MeshTrafficPermission',
    name: of,
    spec: {
      targetRef,
      rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value: 'spiffe://td/x' } }] } }],
    },
  });
  const everywhere = { kind: 'Mesh' };
  const sound = (documents: readonly object[]) => {
    const loaded = loadValues(...JSON.parse(JSON.stringify(documents)));
    expect(loaded.violations).toEqual([]);
    return exporterOf(loaded);
  };

  test.each<[string, readonly object[], readonly object[]]>([
    [
      'the order of rules',
      [allow('a', everywhere), allow('b', here)],
      [allow('a', here), allow('b', everywhere)],
    ],
    [
      'the order of items',
      [byTags, tags('a', 'ALLOW', everywhere), tags('b', 'DENY', here)],
      [byTags, tags('a', 'ALLOW', here), tags('b', 'DENY', everywhere)],
    ],
    ['certificates', [mesh({}), allow('a', here)], [byTags, allow('a', here)]],
    ['a label', [...byRole, workload('reader')], [...byRole, workload('writer')]],
    ['a workload', byRole, [...byRole, workload('reader')]],
    [
      'a template',
      [...byNamespace, site({ trustDomains: [{ name: 'td', template: '/ns/{k8s:ns}/sa/{k8s:sa}' }] })],
      [...byNamespace, site({ trustDomains: [{ name: 'td', template: '/{k8s:ns}/{k8s:sa}' }] })],
    ],
    [
      'who may set a label',
      [...byRole, workload('reader'), site(roleFrom('shop'))],
      [...byRole, workload('reader'), site(roleFrom('pay'))],
    ],
    [
      'the floor',
      [...byRole, workload('reader'), site({ floor: 'observed' })],
      [...byRole, workload('reader'), site({ floor: 'attested' })],
    ],
    [
      'who may set an account, which no workload has',
      [...byAccount, site({ attributeRules: [{ keys: ['k8s:sa'], from: [{ namespaces: ['shop'] }] }] })],
      [...byAccount, site({ attributeRules: [{ keys: ['k8s:sa'], from: [{ namespaces: ['pay'] }] }] })],
    ],
  ])('[XDS11] is not what is to be used when %s is otherwise', (_, before, after) => {
    const wanted = {
      proxy: { mesh: 'default', dataplane: 'node-0' },
      name: 'placet/http/http/0',
      filter: 'http',
      inbound: 'http',
      position: 0,
    } as const;
    const second = { ...wanted, name: 'placet/http/http/1', position: 1 } as const;
    const with2 = (documents: readonly object[]) =>
      documents.includes(plane) ? documents : [plane, ...documents];
    const renderer = new Renderer(sound(with2(before)));
    const both = () =>
      [wanted, second].map((one) =>
        Buffer.from(renderer.render(one.proxy, [one.name]).resources[0]!.bytes).toString('base64'),
      );
    const old = both();
    const fresh = sound(with2(after));
    renderer.use(fresh);
    const now = both();
    expect(now).toEqual(
      [wanted, second].map((one) => {
        const whole = exported(fresh, one);
        if (whole instanceof ExportRefused) throw whole;
        return whole.toString('base64');
      }),
    );
    expect(now).not.toEqual(old);
  });
});
