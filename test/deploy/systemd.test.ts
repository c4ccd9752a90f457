import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type Running, start } from '../live/service/process.ts';
import { live, needs } from '../live.ts';
import { decide, etc, type Place, text } from './files.ts';

const unit = text('deploy/systemd/placet.service');
const all = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((found) => found[1]!);

let place: Place;
let running: Running | undefined;
beforeAll(() => {
  place = etc('deploy/systemd/placet.yaml');
});
afterAll(() => {
  running?.process.kill('SIGKILL');
  place.remove();
});

test('[DEP3] it runs as nobody, changes nothing, and may end in its own time', () => {
  const set = Object.fromEntries([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]));
  expect(set).toMatchObject({
    Type: 'exec',
    DynamicUser: 'yes',
    ProtectSystem: 'strict',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    Restart: 'on-failure',
    KillMode: 'mixed',
  });
  expect(Number(set['TimeoutStopSec'])).toBeGreaterThan(10 + 2);
});

test('[DEP3] its command starts the service with the credentials that it is handed, and SIGTERM ends it', async () => {
  const [node, program, serve, ...flags] = all('ExecStart')[0]!.split(' ');
  expect([node, program, serve]).toEqual([
    '/usr/bin/node',
    `/usr/lib/node_modules/placet/${manifest.bin.placet}`,
    'serve',
  ]);
  const handed = join(place.path, 'credentials');
  mkdirSync(handed);
  for (const credential of all('LoadCredential')) {
    const [name, from] = credential.split(':');
    cpSync(from!.replace('/etc/placet', place.path), join(handed, name!));
  }
  const logs = join(place.path, 'logs');
  mkdirSync(logs);
  const configuration = join(place.path, 'placet.yaml');
  const folder = `/var/log/${all('LogsDirectory')[0]}`;
  expect(readFileSync(configuration, 'utf8')).toContain(`${folder}/`);
  writeFileSync(configuration, readFileSync(configuration, 'utf8').replace(folder, logs));
  const here = flags.map((word) => word.replace('/etc/placet', place.path).replace('%d', handed));
  running = await start(...here, '--listen', '0.0.0.0:0');
  expect(await decide(running.url, place.path, 'ns-gateway-sa-gateway')).toBe(200);
  expect(await decide(running.url, place.path)).toBe(401);
  running.process.kill('SIGTERM');
  expect(await running.ended()).toBe(0);
  // It is denied, and denials are written.
  expect(readFileSync(join(logs, 'decisions.log'), 'utf8')).toMatch(/^\{.*"decision":"deny".*\}\n$/);
});

const analyze = needs([{ program: 'systemd-analyze', get: 'comes with systemd' }]);

live(analyze, '[DEP3] systemd understands it, and finds little that it may do', () => {
  const file = join(place.path, 'placet.service');
  // The programs that it names are those of another machine.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  expect([verified.stderr.split('\n').filter((line) => line.includes('placet')), verified.status]).toEqual([
    [],
    0,
  ]);
  const security = ['security', '--offline=true', '--threshold=20', '--no-pager', file];
  const judged = spawnSync('systemd-analyze', security, { encoding: 'utf8' });
  expect([judged.status, judged.stdout.split('\n').at(-2)]).toEqual([0, expect.stringContaining('OK')]);
});
