import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Running, startBy } from '../live/service/process.ts';
import { decide, etc, type Place, root, text } from './files.ts';

interface Service {
  readonly build: { readonly context: string; readonly dockerfile: string };
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

const { placet } = (parse(text('deploy/compose/compose.yaml')) as { services: { placet: Service } }).services;

let place: Place;
let running: Running | undefined;
beforeAll(() => {
  place = etc('deploy/compose/placet.yaml');
});
afterAll(() => {
  running?.process.kill('SIGKILL');
  place.remove();
});

test('[DEP2] it may do nothing that it need not', () => {
  expect(placet).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(placet['user']).toMatch(/:-65532:65532\}$/);
  expect(placet['privileged']).toBeUndefined();
  for (const volume of placet.volumes) expect(volume).toMatch(/:ro$/);
});

test('[DEP2] what it names is there', () => {
  const here = join(root, 'deploy/compose');
  expect(existsSync(join(here, placet.build.context, placet.build.dockerfile))).toBe(true);
  for (const volume of placet.volumes) {
    const [from, to] = volume.split(':');
    // Certificates are made by whoever tries it.
    if (from !== './tls') expect(existsSync(join(here, from!))).toBe(true);
    expect(existsSync(join(place.path, to!.replace(/^\/etc\/placet\//, '')))).toBe(true);
  }
});

test('[DEP2] its command starts the service, which answers its gateway and nobody else', async () => {
  const [serve, ...flags] = placet.command.map((word) => word.replace('/etc/placet', place.path));
  expect(serve).toBe('serve');
  running = await startBy([], ...flags, '--listen', '0.0.0.0:0');
  expect(await decide(running.url, place.path, 'ns-gateway-sa-gateway')).toBe(200);
  expect(await decide(running.url, place.path, 'ns-placet-sa-placet')).toBe(403);
  expect(await decide(running.url, place.path)).toBe(401);
  const [how, node, health, url] = placet.healthcheck.test;
  expect([how, node]).toEqual(['CMD', '/nodejs/bin/node']);
  const script = health!.replace(/^\/app\//, root);
  const here = url!.replace(':8420', `:${running.port}`);
  expect(spawnSync(process.execPath, [script, here]).status).toBe(0);
  expect(spawnSync(process.execPath, [script, here.replace('https', 'http')]).status).toBe(1);
});
