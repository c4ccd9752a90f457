import { afterEach, describe, expect, test, vi } from 'vitest';
import { Exporter } from '../../../src/envoy/export/exporter.ts';
import { Renderer } from '../../../src/envoy/xds/render.ts';
import type { Loaded } from '../../../src/policy/load.ts';
import { loadValues } from '../../policy/loading.ts';

afterEach(() => vi.restoreAllMocks());

const exporterOf = ({ rules, inventory, snapshot }: Loaded) => new Exporter(rules, inventory, snapshot);

describe('what is kept', () => {
  const name = 'placet/http/http/0';
  const proxies = Array.from({ length: 40 }, (_, at) => ({ mesh: 'default', dataplane: `node-${at}` }));
  const of = (at: number) => ({ kind: 'Dataplane', labels: { app: `app-${at}` } });
  const permission = (about: string, targetRef: object, allowed: string) => ({
    type: 'MeshTrafficPermission',
    name: about,
    spec: {
      targetRef,
      rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value: `spiffe://td/${allowed}` } }] } }],
    },
  });
  const dataplanes = proxies.map(({ dataplane }, at) => ({
    type: 'Dataplane',
    name: dataplane,
    labels: { app: `app-${at}`, group: at < 5 ? 'five' : 'rest' },
    inbounds: [{ name: 'http', port: 80, protocol: 'http' }],
  }));
  /** Each has a permission of its own and one in common with all. */
  const own = proxies.map((_, at) => permission(`own-${at}`, of(at), `own-${at}`));
  const base = [...dataplanes, ...own, permission('all', { kind: 'Mesh' }, 'all')];
  const pod = (app: string) => ({
    type: 'Workload',
    name: `pod-${app}`,
    namespace: 'shop',
    spiffeId: `spiffe://td/${app}`,
    labels: { app },
  });

  test('[XDS11] is exported again where a change concerns it, and nowhere else', () => {
    const filters = vi.spyOn(Exporter.prototype, 'filters');
    const renderer = new Renderer(exporterOf(loadValues(...base)));
    const exports = () => {
      const before = filters.mock.calls.length;
      for (const proxy of proxies) expect(renderer.render(proxy, [name]).problems).toEqual([]);
      return filters.mock.calls.length - before;
    };
    expect(exports()).toBe(40);
    const five = { kind: 'Dataplane', labels: { group: 'five' } };
    const nobody = { kind: 'Dataplane', labels: { app: 'none' } };
    const worlds: [number, readonly object[]][] = [
      [0, base],
      // Ranks shift with a rule that comes before all others.
      [0, [permission('a', nobody, 'a'), ...base]],
      [0, base.toReversed()],
      [0, [...base, pod('x'), pod('y')]],
      [1, [...base, permission('one', of(3), 'one')]],
      [6, [...base, permission('five', five, 'five'), permission('one', of(9), 'one')]],
      [40, [...base, permission('every', { kind: 'Mesh' }, 'every')]],
    ];
    for (const [concerned, documents] of worlds) {
      renderer.use(exporterOf(loadValues(...base)));
      exports();
      renderer.use(exporterOf(loadValues(...documents)));
      expect(exports()).toBe(concerned);
    }
  });

  test('[XDS11] does not grow with changes', () => {
    const renderer = new Renderer(exporterOf(loadValues(...base)));
    for (let change = 0; change < 100; change++) {
      const about = [{ kind: 'Mesh' }, of(change % 40)][change % 2] as object;
      const documents = [...base, permission('changes', about, `${change}`)];
      // Some leave for a while, and some are slow.
      const there = change % 10 === 9 ? documents.filter((one) => one !== dataplanes[7]) : documents;
      renderer.use(exporterOf(loadValues(...there)));
      proxies.forEach((proxy, at) => {
        if (at % 4 === 0 || change % 3 === 0) renderer.render(proxy, [name]);
      });
      expect(renderer.kept).toBeLessThanOrEqual(2 * proxies.length);
    }
    renderer.use(exporterOf(loadValues()));
    expect(renderer.kept).toBe(0);
  });
});
