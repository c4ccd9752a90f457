import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main, start } from '../live/service/process.ts';
import { live, needs } from '../live.ts';
import { blocksOf } from '../sessions.ts';
import { envoyMissing } from '../support/envoy/program.ts';
import { root, text } from './files.ts';

/** What docs/envoy.md says to do is done, with other ports, and what lies in deploy/envoy is used as it is. */

const page = text('docs/envoy.md');
const shown = page.slice(page.indexOf('## The three modes'), page.indexOf('## Who may call'));
const [certificates = '', serve = '', upstream = '', envoy = '', ask = ''] = blocksOf(shown)
  .filter(({ language }) => language === 'sh')
  .map(({ lines }) => lines.join('\n'));
const modes = ['native', 'ext_authz', 'xds'] as const;

const folder = mkdtempSync(join(tmpdir(), 'placet-deploy-envoy-'));
const here = join(folder, 'deploy/envoy');
const api = join(folder, 'api');
const ports = new Map<string, number>();
/** As it is here: nobody else's ports, and a folder for what would be below `/etc` and `/run`. */
const local = (words: string) =>
  words
    .replaceAll(/\b(?:8080|842[01]|8443)\b/g, (port) => String(ports.get(port)))
    .replaceAll('/etc/placet/', `${here}/`)
    .replaceAll('/run/placet/api', api);
const sh = (lines: string) => [
  '-ec',
  `PATH="${dirname(process.execPath)}:$PATH"; placet() { node ${main} "$@"; }\n${lines}`,
];
const running: (() => Promise<void>)[] = [];

beforeAll(async () => {
  for (const port of ['8080', '8420', '8421', '8443']) ports.set(port, await freePort());
  cpSync(join(root, 'deploy/envoy'), here, { recursive: true });
  for (const file of ['policies', 'placet', ...modes, 'ext_authz-http']) {
    const path = join(here, `${file}.yaml`);
    writeFileSync(path, local(readFileSync(path, 'utf8')));
  }
  execFileSync('sh', sh(certificates), { cwd: folder });
}, 60_000);
afterAll(async () => {
  for (const end of running.splice(0)) await end();
  rmSync(folder, { recursive: true });
});

test.each(modes)('[DEP4] the Envoy of mode %s is what is exported', (mode) => {
  const [line = ''] = /^placet export envoy .*$/m.exec(text('deploy/README.md')) ?? [];
  const words = line.replace('ext_authz', mode).split(' ').slice(1);
  const made = execFileSync(process.execPath, [main, ...words], { cwd: join(root, 'deploy') });
  expect(made.toString()).toBe(text(`deploy/envoy/${mode}.yaml`));
});

test('[DEP4] the port that they ask is the one that the service is told', () => {
  expect(text('deploy/envoy/placet.yaml')).toContain('\n  listen: 127.0.0.1:8421\n');
  expect(serve).toContain('--config placet.yaml');
});

const missing = envoyMissing ?? needs([{ program: 'curl', get: 'comes with most systems' }]);

live(
  missing,
  '[DEP4] one word is all that differs between the modes',
  async () => {
    await placet(...local(serve.replace('placet serve ', '')).split(' '));
    for (const mode of modes) {
      const end = begin(envoy.replace(/^mode=.*/, `mode=${mode}`));
      await expect.poll(answers, { timeout: 20_000 }).toEqual([expect.stringMatching(/^orders\n200$/), 403]);
      await end();
    }
  },
  120_000,
);

live(
  missing,
  '[DEP4] Envoys take the files as they are, and the one that asks by HTTP decides alike',
  async () => {
    const program = '$(placet envoy path)';
    for (const file of [...modes, 'ext_authz-http'])
      expect(spawnSync('sh', sh(`${program} --mode validate -c ${file}.yaml`), { cwd: here }).status).toBe(0);
    await placet('--config', 'placet.yaml', '--listen', `unix:${api}`);
    const end = begin(`${program} -c ext_authz-http.yaml`);
    await expect.poll(answers, { timeout: 20_000 }).toEqual([expect.stringMatching(/^orders\n200$/), 403]);
    await end();
  },
  120_000,
);

/** What the first client is answered, and the status of the second. */
function answers(): unknown[] {
  const [first = '', second = ''] = local(ask)
    .split('\n')
    .map((line) => line.replace('curl -k', "curl -sk -w '%{http_code}'"))
    .map((line) => spawnSync('sh', ['-c', line], { cwd: here, encoding: 'utf8' }).stdout);
  return [first, Number(second.slice(-3))];
}

async function placet(...flags: readonly string[]): Promise<void> {
  await Promise.all(running.splice(0).map((end) => end()));
  const paths = flags.map((flag) => (flag === 'placet.yaml' ? join(here, flag) : flag));
  const service = await start(...paths, '--set', 'log.to=none');
  running.push(async () => {
    service.process.kill('SIGTERM');
    await service.ended();
  });
  begin(upstream);
}

/** The last of the lines is the program that goes on. */
function begin(lines: string): () => Promise<void> {
  const all = local(lines).split('\n');
  const last = all.pop() as string;
  // The port that an export asks where nobody says one.
  if (all.length > 0) all.push(`sed -i s/8421/${ports.get('8421')}/ envoy.yaml`);
  const hot = last.includes(' -c ') ? ' --disable-hot-restart' : '';
  const child: ChildProcess = spawn('sh', sh([...all, `exec ${last}${hot}`].join('\n')), {
    cwd: here,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  // Also where a test fails before it gets as far.
  running.push(end);
  return end;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
