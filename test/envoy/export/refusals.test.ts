import { describe, expect, test } from 'vitest';
import { bootstrapDocument, ecdsDocument } from '../../../src/envoy/export/documents.ts';
import { insistOnCount, insistOnSize } from '../../../src/envoy/export/insist.ts';
import { exportLimits } from '../../../src/envoy/export/limits.ts';
import type { ExportOptions } from '../../../src/envoy/export/types.ts';
import { filesIn } from '../../../src/envoy/export/wiring.ts';
import type { Asked } from '../../../src/pdp/governing.ts';
import { both, refusalOf } from './world.ts';

/** What is not exported, and the word that says why. */

const mesh = { type: 'Mesh', name: 'm', trustDomains: ['td'] };
const tagMesh = { type: 'Mesh', name: 't', certificates: 'tags' };
const plane = (of: string, name: string, ...inbounds: object[]) => ({
  type: 'Dataplane',
  mesh: of,
  name,
  inbounds,
});
const http = { name: 'http', port: 80, protocol: 'http' };
const tcp = { name: 'tcp', port: 81, protocol: 'tcp' };
const permission = (of: string, name: string, lists: object) => ({
  type: 'MeshTrafficPermission',
  mesh: of,
  name,
  spec: { default: lists },
});
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });
const world = [
  mesh,
  tagMesh,
  plane('m', 'web-1', http),
  plane('m', 'two', http, tcp),
  plane('m', 'bare'),
  plane('t', 'web-1', http),
  { type: 'Service', namespace: 'shop', name: 'pay' },
];
const web: Asked = { mesh: 'm', dataplane: 'web-1' };

function refused(asked: Asked, options: ExportOptions, ...more: object[]) {
  const { exporter } = both(...world, ...more);
  const { code, message, hint } = refusalOf(() => exporter.export(asked, options));
  return [code, message, hint];
}

describe('what is not there', () => {
  test('[ENV17] a dataplane, an inbound, a service, with the nearest that is', () => {
    expect(refused({ mesh: 'm', dataplane: 'web-2' }, {})).toEqual([
      'unknown-destination',
      'got the dataplane "m/web-2", which no document gives',
      'did you mean m/web-1?',
    ]);
    expect(refused({ mesh: 'm', dataplane: 'two' }, {})).toEqual([
      'which-inbound',
      'got m/two with 2 inbounds, want one of them',
      'give --inbound with http or tcp',
    ]);
    expect(refused({ mesh: 'm', dataplane: 'two', inbound: 'udp' }, {})).toEqual([
      'which-inbound',
      'got the inbound "udp", which m/two does not have',
      'it has http and tcp',
    ]);
    expect(refused({ mesh: 'm', dataplane: 'bare' }, {})[0]).toBe('which-inbound');
    expect(refused({ service: 'shop/pya' }, {})).toEqual([
      'unknown-destination',
      'got the service "shop/pya", which no document gives',
      'did you mean shop/pay?',
    ]);
    expect(refused({ mesh: '__proto__', dataplane: 'constructor' }, {})[0]).toBe('unknown-destination');
  });

  test('[ENV17] an HTTP filter for what is declared tcp', () => {
    expect(refused({ mesh: 'm', dataplane: 'two', inbound: 'tcp' }, { filter: 'http' })).toEqual([
      'protocol',
      'got an HTTP filter for m/two/tcp, which is declared tcp and has no HTTP filters',
      'give --filter network',
    ]);
  });
});

describe('versions', () => {
  test('[ENV14] a tree falls back to a list and says so', () => {
    const { exporter } = both(...world);
    for (const form of ['tree', undefined] as const) {
      const { report } = exporter.export(web, {
        ...(form === undefined ? {} : { form }),
        targetVersion: '1.34',
      });
      expect([report.form, report.warnings]).toEqual([
        'list',
        [
          'the form is list, not tree: trees of Envoy before 1.35 do not go back to shorter prefixes, and 1.34 is meant',
        ],
      ]);
    }
    expect(exporter.export(web, { targetVersion: '1.35.2' }).report).toMatchObject({
      form: 'tree',
      target_version: '1.35',
      warnings: [],
    });
    expect(exporter.export(web, { targetVersion: '2.0' }).report.form).toBe('tree');
    expect(exporter.export(web, { targetVersion: '1.26' }).report.relies_on).toContainEqual({
      on: 'envoy-version',
      at_least: '1.26',
    });
  });

  test('[ENV14] what it cannot read safely is refused', () => {
    expect(refused(web, { targetVersion: '1.25' })[1]).toBe(
      'got Envoy 1.25, want 1.26 or later: it is the first with matchers over the peer certificate',
    );
    expect(refused({ mesh: 't', dataplane: 'web-1' }, { targetVersion: '1.33' })[1]).toContain(
      'mtls_authenticated',
    );
    expect(
      both(...world).exporter.export({ mesh: 't', dataplane: 'web-1' }, { targetVersion: '1.34' }).filters,
    ).toHaveLength(2);
    for (const text of ['', 'latest', '1', '1.x', '-1.4', '1.40.0.0', '01.2'])
      expect(refused(web, { targetVersion: text })[0]).toBe('version');
  });
});

describe('forms', () => {
  const table: ExportOptions = { form: 'table', shadow: 'paper', paperAsWritten: true };
  const tagged = (name: string, ...tags: string[]) => ({
    type: 'MeshTrafficPermission',
    mesh: 't',
    name,
    spec: {
      from: tags.map((tag) => ({
        targetRef: { kind: 'MeshSubset', tags: { [tag]: 'v' } },
        default: { action: 'Allow' },
      })),
    },
  });
  const many = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);

  test('[ENV9] a table of 12 tags, and not of 13', () => {
    const asked = { mesh: 't', dataplane: 'web-1' };
    const { exporter } = both(...world, tagged('p', ...many(exportLimits.tableTags)));
    expect(exporter.export(asked, table).report.size.matchers).toBeGreaterThan(4_000);
    expect(refused(asked, table, tagged('p', ...many(exportLimits.tableTags + 1)))).toEqual([
      'too-many-tags',
      'got 13 distinct tags, want at most 12 in the table form: it would have 2^13 rows',
      'the form list has one principal for each item',
    ]);
  });

  test('[ENV9] a table of anything but tags of one mesh', () => {
    expect(refused(web, table)[0]).toBe('form');
    expect(
      refused(
        { mesh: 't', dataplane: 'web-1' },
        table,
        permission('t', 'p', { deny: [exact('spiffe://td/a')] }),
      )[1],
    ).toContain('which selects no tags');
    const foreign = {
      type: 'MeshTrafficPermission',
      mesh: 't',
      name: 'p',
      spec: { from: [{ targetRef: { kind: 'Mesh', mesh: 'other' }, default: { action: 'Allow' } }] },
    };
    expect(refused({ mesh: 't', dataplane: 'web-1' }, table, foreign)[1]).toContain(
      'clients of the mesh "other"',
    );
    expect(refused({ mesh: 't', dataplane: 'web-1' }, { form: 'table' })[0]).toBe('form');
  });

  test('[ENV9] [ENV16] a table in a bootstrap, two filters in one file', () => {
    const wiring = {
      listen: { host: '::', port: 1 },
      upstream: { host: '::1', port: 1 },
      ...filesIn('/tls'),
    };
    const { exporter } = both(...world, tagged('p', 'k'));
    const literal = exporter.export({ mesh: 't', dataplane: 'web-1' }, table);
    expect(refusalOf(() => bootstrapDocument(literal, wiring)).code).toBe('as-written');
    const two = exporter.export({ mesh: 't', dataplane: 'web-1' });
    expect(refusalOf(() => ecdsDocument(two)).message).toBe('got 2 filters for one ECDS file, want one');
  });
});

describe('what is not exact', () => {
  const labels = permission('m', 'labels', {
    allow: [{ ...exact('spiffe://td/a'), dataplaneLabels: { app: 'web' } }],
  });
  const method = permission('m', 'method', { allow: [{ method: 'GET' }] });
  const path = permission('m', 'path', { deny: [{ path: { type: 'Exact', value: '/a' } }] });

  test('[ENV10] methods in a network filter are narrower, and exported by that name only', () => {
    const [code, message, hint] = refused(web, { filter: 'network' }, method);
    expect([code, message]).toEqual(['not-exact', 'got a policy not carried over exactly']);
    expect(hint).toContain('--allow-narrower');
    const { exporter } = both(...world, method);
    expect(exporter.export(web, { filter: 'network', allowNarrower: true }).report.policies).toEqual([
      {
        name: 'kri_mtp_m___method_',
        class: 'narrower',
        notes: ['reads methods, which a network filter does not see: it allows less and denies more'],
      },
    ]);
  });

  test('[ENV10] paths in a network filter of an http inbound cannot be exported at all', () => {
    expect(refused(web, { filter: 'network', allowNarrower: true }, path)[0]).toBe('not-exact');
  });

  test('[ENV5] [ENV10] on a tcp inbound they are as exact as the PDP, and noted', () => {
    const { exporter } = both(...world, method, path);
    const { report } = exporter.export({ mesh: 'm', dataplane: 'two', inbound: 'tcp' });
    expect(report.policies.map((one) => [one.name, one.class, one.notes])).toEqual([
      [
        'kri_mtp_m___method_',
        'exact',
        ['allows by method or path, which a connection does not show: it allows nothing'],
      ],
      [
        'kri_mtp_m___path_',
        'exact',
        ['denies by method or path, which a connection does not show: it denies all of them'],
      ],
    ]);
  });

  test('[ENV6] [ENV10] attributes of a token at an inbound, for which there are no tokens', () => {
    const { exporter } = both(...world, labels);
    const { policies } = refusalOf(() => exporter.export(web, { attributes: 'jwt', allowNarrower: true }));
    expect(policies?.map(({ name, reason }) => [name, reason.slice(0, 14)])).toEqual([
      ['kri_mtp_m___labels_', 'not exportable'],
    ]);
    expect(exporter.export(web).report.policies[0]?.class).toBe('exact');
  });

  test('[ENV17] a bootstrap without a trust domain', () => {
    const { exporter } = both({ type: 'Mesh', name: 'm' }, plane('m', 'web-1', http));
    const wiring = {
      listen: { host: '::', port: 1 },
      upstream: { host: '::1', port: 1 },
      ...filesIn('/tls'),
    };
    expect(refusalOf(() => bootstrapDocument(exporter.export(web), wiring)).code).toBe('trust-domains');
  });
});

describe('size', () => {
  const allow = (count: number) =>
    permission('m', 'p', { allow: Array.from({ length: count }, (_, i) => exact(`spiffe://td/a/${i}`)) });

  test('[ENV12] bytes at the limit and one above', () => {
    const { exporter } = both(...world, allow(3));
    const { bytes } = exporter.export(web).report.size;
    expect(exporter.export(web, { maxBytes: bytes }).report.size.bytes).toBe(bytes);
    expect(refused(web, { maxBytes: bytes - 1 }, allow(3))[1]).toBe(
      `got ${bytes} bytes of filters, want at most ${bytes - 1}`,
    );
  });

  test('[ENV12] 50,000 rules on a listener, and one more', { timeout: 120_000 }, () => {
    expect(() => insistOnCount(exportLimits.rules)).not.toThrow();
    expect(refused(web, {}, allow(exportLimits.rules + 1))[1]).toBe(
      'got 50001 rules on one listener, want at most 50000',
    );
  });

  test('[ENV12] 40 levels of matchers, and one more', () => {
    const size = { bytes: 1, matchers: 1, depth: exportLimits.depth };
    expect(() => insistOnSize(size, undefined)).not.toThrow();
    expect(refusalOf(() => insistOnSize({ ...size, depth: size.depth + 1 }, undefined)).code).toBe(
      'too-deep',
    );
  });

  test('[ENV12] an ordered list whose effects alternate', { timeout: 120_000 }, () => {
    const items = (count: number) => ({
      type: 'MeshTrafficPermission',
      mesh: 't',
      name: 'p',
      spec: {
        from: Array.from({ length: count }, (_, i) => ({
          targetRef: { kind: 'MeshSubset', tags: { k: `v${i}` } },
          default: { action: i % 2 === 0 ? 'Allow' : 'Deny' },
        })),
      },
    });
    const asked = { mesh: 't', dataplane: 'web-1' };
    expect(both(...world, items(60)).exporter.export(asked).filters).toHaveLength(2);
    expect(refused(asked, {}, items(2_000))[1]).toContain(
      'got an ordered list of 2000 items whose effects alternate',
    );
  });
});
