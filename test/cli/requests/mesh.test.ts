import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run } from '../world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-'));
afterAll(() => rmSync(folder, { recursive: true }));

const planes = [
  'retail/cart-1',
  'default/both',
  'retail/both',
  'retail/many',
  'other/many',
  'default/pod a',
  'default/pod b',
  'retail/pod',
  'retail/web c',
];
const documents = planes.map((plane) => {
  const [mesh, name, namespace = 'kuma-system'] = plane.split(/[/ ]/);
  const inbound = [{ port: 80, tags: { 'kuma.io/service': 'x' } }];
  return {
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'Dataplane',
    metadata: { name, namespace },
    mesh,
    spec: { networking: { inbound } },
  };
});
const meshes = ['default', 'retail', 'other'].map((name) => ({ type: 'Mesh', name }));
const file = join(folder, 'set.yaml');
writeFileSync(file, [...meshes, ...documents].map((one) => JSON.stringify(one)).join('\n---\n'));
const ask = (command: string, ...flags: readonly string[]) =>
  run([command, '-p', file, '--source-spiffe-id', 'spiffe://a/b', ...flags, '--json']);

test.each([
  ['the only mesh that has it', 'default', ['cart-1']],
  ['the mesh default before others', 'default', ['both']],
  ['with its namespace', 'default', ['web.c']],
  ['with its namespace beside it', 'default', ['web', '--namespace', 'c']],
  ['none where several have it', 'unknown-destination', ['many']],
  ['none where default has several, whoever else has it', 'unknown-destination', ['pod']],
  ['a mesh that is given is meant', 'unknown-destination', ['default/cart-1']],
])('[DST9] a dataplane of decide and explain without a mesh: %s', async (_, reason, [name, ...more]) => {
  const flags = ['-d', name as string, ...more];
  expect(JSON.parse((await ask('decide', ...flags)).out)).toMatchObject({ reason });
  expect(JSON.parse((await ask('explain', ...flags)).out)).toMatchObject({ decision: { reason } });
});

test('[DST9] and so is that of rules --table', async () => {
  const { code, out } = await run(['rules', '--table', '-d', 'cart-1', file]);
  expect([code, out]).toEqual([0, 'no permission by tags governs this inbound\n']);
  expect((await run(['rules', '--table', '-d', 'many', file])).code).toBe(1);
});

test('[REQ3] requests that are no flags are of the mesh default', async () => {
  const { out } = await run(['decide', '-p', file, '--json'], '{"destination": {"dataplane": "cart-1"}}');
  expect(JSON.parse(out)).toMatchObject({ reason: 'unknown-destination' });
});

test.each([
  ['the only mesh that has it', 'cart-1', /kri_dp_retail__kuma-system_cart-1_/],
  ['the mesh default before others', 'both', /kri_dp_default__kuma-system_both_/],
  ['with its namespace', 'web.c', /kri_dp_retail__c_web_/],
  ['none where several meshes have it', 'many', /many: the name of several .*other\/many, retail\/many/s],
  ['none where default has several', 'pod', /pod: the name of several .*default\/pod\.a, default\/pod\.b/s],
  ['nor in a mesh that has several', 'default/pod', /default\/pod: the name of several .*default\/pod\.a/s],
  ['a mesh that is given is meant', 'default/cart-1', /default\/cart-1: no such dataplane/],
])('[DST9] and that of inspect and conf: %s', async (_, named, wanted) => {
  const inspected = await run(['inspect', 'dataplane', named, '-p', file]);
  expect(`${inspected.out}${inspected.err}`).toMatch(wanted);
  const { code } = await run(['conf', '-p', file, '-d', named]);
  expect(code).toBe(inspected.code);
});
