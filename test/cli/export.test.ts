import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-export-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const allowed = '{spiffeId: {type: Prefix, value: "spiffe://td/"}}';
const mesh = file('mesh.yaml', 'type: Mesh\nname: m\ntrustDomains: [td]\n');
const things = file(
  'things.yaml',
  `type: Dataplane
mesh: m
name: d
inbounds: [{name: http, port: 80, protocol: http}, {name: a.b, port: 81, protocol: tcp}]
---
type: Service
namespace: shop
name: pay
`,
);
const policy = file(
  'policy.yaml',
  `type: MeshTrafficPermission\nmesh: m\nname: p\nspec: {default: {allow: [${allowed}]}}\n`,
);
const exporting = (...args: string[]) =>
  run(['export', 'envoy', '--policies', mesh, things, policy, ...args]);
const http = ['--dataplane', 'm/d', '--inbound', 'http'];

describe('placet export envoy', () => {
  test('[ENV16] prints YAML and JSON of the same, and nothing else', async () => {
    const [yaml, json] = [await exporting(...http), await exporting(...http, '--json')];
    expect([yaml.code, yaml.err, json.code, json.err]).toEqual([0, '', 0, '']);
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
    expect(JSON.parse(json.out).filters[0].name).toBe('envoy.filters.http.rbac');
  });

  test('[ENV16] a listener, a bootstrap wired as it is told, an ECDS file', async () => {
    const listener = parse((await exporting(...http, '--as', 'listener', '--listen', '[::1]:99')).out);
    expect(listener.address).toEqual({ socket_address: { address: '::1', port_value: 99 } });
    const args = [
      '--as',
      'bootstrap',
      '--upstream',
      'app:7',
      '--admin',
      '9901',
      '--tls',
      '/run/tls',
      '--json',
    ];
    const bootstrap = JSON.parse((await exporting(...http, ...args)).out);
    expect(bootstrap.admin.address).toEqual({ socket_address: { address: '127.0.0.1', port_value: 9901 } });
    const text = JSON.stringify(bootstrap);
    expect(text).toContain('"filename":"/run/tls/bundles/td.pem"');
    expect(text).toContain('{"address":"app","port_value":7}');
    expect(text).toContain('{"address":"0.0.0.0","port_value":80}');
    const ecds = parse((await exporting(...http, '--as', 'ecds')).out);
    expect(ecds.resources).toHaveLength(1);
  });

  test('[ENV10] [ENV13] what has no place for routes denies what any of them denies', async () => {
    const route = file(
      'route.yaml',
      `type: MeshTrafficPermission\nmesh: m\nname: r\nspec:
  targetRef: {kind: MeshHTTPRoute, name: api}
  default: {deny: [{spiffeId: {type: Exact, value: "spiffe://td/foe"}}]}\n`,
    );
    const filters = JSON.parse((await exporting(route, ...http, '--json')).out);
    expect(JSON.stringify(filters.filters)).not.toContain('spiffe://td/foe');
    expect(JSON.stringify(filters.routes)).toContain('spiffe://td/foe');
    for (const kind of ['listener', 'bootstrap', 'ecds']) {
      const { out, err } = await exporting(route, ...http, '--as', kind);
      expect([kind, out.includes('spiffe://td/foe')]).toEqual([kind, true]);
      expect(err).toContain('which route a request takes is not known here');
    }
  });

  test('[ENV16] everything, a file for each inbound, and one report', async () => {
    const [out, report] = [join(folder, 'out'), join(folder, 'report.json')];
    const { code, out: printed } = await exporting('--all', '--out', out, '--report', report);
    expect([code, printed.replace(/\d+ bytes/, 'n bytes').replace(folder, '')]).toEqual([
      0,
      '2 listeners in /out, n bytes of filters\n',
    ]);
    expect(readdirSync(out).sort()).toEqual(['m_d_a.b.yaml', 'm_d_http.yaml']);
    const reports = JSON.parse(readFileSync(report, 'utf8'));
    expect(reports.map((one: { destination: string }) => one.destination)).toEqual(['m/d/http', 'm/d/a.b']);
    expect(reports[0].policies).toEqual([{ name: 'kri_mtp_m___p_', class: 'exact', notes: [] }]);
  });

  test('[ENV16] everything: no file in the place of another, and what is refused keeps none from it', async () => {
    const planes = [
      ['m', 'b_c', ''],
      ['m_b', 'c', ''],
      ['t', 'd', 'certificates: tags'],
    ].map(
      ([of, name, more]) =>
        `type: Mesh\nname: ${of}\n${more || 'trustDomains: [td]'}\n---\ntype: Dataplane\nmesh: ${of}\nname: ${name}\ninbounds: [{port: 80}]\n`,
    );
    const own = file('planes.yaml', planes.reverse().join('---\n'));
    const out = join(folder, 'planes');
    const all = ['export', 'envoy', '--policies', own, '--all', '--out', out, '--as', 'ecds'];
    const { code, out: printed, err } = await run(all);
    expect([code, readdirSync(out).sort()]).toEqual([1, ['m%5Fb_c_80.yaml', 'm_b%5Fc_80.yaml']]);
    expect(printed).toContain('2 listeners in ');
    expect(printed).toContain(', 1 refused');
    expect(err).toContain('t/d/80: got 2 filters for one ECDS file, want one');
  });

  test('[ENV16] what cannot be written is said in a line', async () => {
    for (const [args, reason] of [
      [['--all', '--out', mesh], `${mesh}: cannot be written: it is no folder`],
      [[...http, '--report', join(folder, 'none', 'r.json')], 'r.json: cannot be written: no such folder'],
      [[...http, '--report', folder], `${folder}: cannot be written: it is a folder`],
    ] as const) {
      const { code, err } = await exporting(...args);
      expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
    }
  });

  test('[ENV16] [ENV17] a service, whose clients need not be known', async () => {
    const { code, out } = await exporting('--service', 'shop/pay', '--json');
    expect(code).toBe(0);
    // An identity that is none is refused, and none at all is left to the rules.
    expect(JSON.parse(out).filters[0].typed_config.matcher.matcher_list.matchers[0].predicate).toHaveProperty(
      'and_matcher',
    );
  });

  test.each([
    ['off', 'mtls: {backends: []}', 'has mutual TLS switched off'],
    ['permissive', 'mtls: {enabledBackend: a, backends: [{name: a, mode: PERMISSIVE}]}', 'mode PERMISSIVE'],
    ['strict', 'mtls: {enabledBackend: a, backends: [{name: a, mode: STRICT}]}', ''],
  ])('[ENV17] a mesh with mutual TLS that is %s', async (name, mtls, warning) => {
    const own = file(`${name}.yaml`, `type: Mesh\nname: m\ntrustDomains: [td]\n${mtls}\n`);
    const { code, err } = await run(['export', 'envoy', '--policies', own, things, policy, ...http]);
    expect(code).toBe(0);
    if (warning === '') expect(err).toBe('');
    else expect(err).toContain(warning);
  });

  test.each([
    ['spiffe', 'Allow', 'the mesh m is denied here'],
    ['spiffe', 'Deny', ''],
    ['tags', 'Allow', ''],
  ])('[ENV17] by tags in a mesh with certificates of %s: %s', async (certificates, action, warning) => {
    const own = file(`${certificates}.yaml`, `type: Mesh\nname: m\ncertificates: ${certificates}\n`);
    const tags = file(
      `${action}.yaml`,
      `type: MeshTrafficPermission\nmesh: m\nname: t\nspec: {from: [{default: {action: ${action}}}]}\n`,
    );
    const { code, err } = await run(['export', 'envoy', '--policies', own, things, tags, ...http]);
    expect(code).toBe(0);
    if (warning === '') expect(err).toBe('');
    else expect(err).toContain(warning);
  });

  test.each([
    [['--dataplane', 'm/d', '--service', 'shop/pay'], 'only one thing'],
    [['--service', 'shop/pay', '--inbound', 'http'], '--inbound is an inbound'],
    [[...http, '--out', 'x'], '--all and --out go together'],
    [[...http, '--max-bytes', '0'], '--max-bytes 0'],
    [[...http, '--as', 'listener', '--listen', '70000'], '--listen 70000'],
    [[...http, '--shadow', 'papr'], 'did you mean paper'],
  ])('[CLI4] %j is not understood', async (args, message) => {
    const { code, err } = await exporting(...args);
    expect([code, err.includes(message)]).toEqual([2, true]);
  });
});
