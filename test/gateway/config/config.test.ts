import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { type Configured, configure } from '../../../src/cli/serve/config.ts';
import { settingPaths, variableOf } from '../../../src/cli/serve/config-text.ts';
import { run } from '../../cli/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string, name = 'placet.yaml'): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function good(...args: Parameters<typeof configure>): Configured {
  const read = configure(...args);
  if ('wrong' in read) throw new Error(read.wrong.join('\n'));
  return read;
}

function wrong(...args: Parameters<typeof configure>): readonly string[] {
  const read = configure(...args);
  return 'wrong' in read ? read.wrong : [];
}

describe('the configuration', () => {
  test('[CFG1] the later of default, file, variable and flag is stronger, and each is named', () => {
    const config = file('ttl: 1\nlisten: 127.0.0.1:1\nxfcc: first\nlimits:\n  body: 2048\n  turn: 2\n');
    const { config: all, originOf } = good(
      { config, listen: '127.0.0.1:3', set: ['limits.turn=3.5'] },
      {
        PLACET_LISTEN: '127.0.0.1:2',
        PLACET_TTL: '7',
        PLACET_LIMITS_HEAD_TIME: '4',
        PLACET_AUDIENCES: 'a, b',
      },
    );
    expect(all).toMatchObject({ ttl: 7, listen: '127.0.0.1:3', xfcc: 'first', audiences: ['a', 'b'] });
    expect(all.limits).toMatchObject({ body: 2_048, turn: 3.5, headTime: 4, requestTime: 30 });
    const origins = [
      'ttl',
      'listen',
      'xfcc',
      'limits.body',
      'limits.turn',
      'limits.headTime',
      'limits.idleTime',
    ];
    expect(origins.map((key) => originOf(key.split('.')))).toEqual([
      'PLACET_TTL',
      '--listen',
      `${config}:3:7`,
      `${config}:5:9`,
      '--set limits.turn',
      'PLACET_LIMITS_HEAD_TIME',
      'default',
    ]);
  });

  test('[CFG1] every setting has a variable of its own', () => {
    const names = settingPaths().map(variableOf);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('PLACET_LIMITS_BATCH_BODY');
    const callers = good(
      {},
      { PLACET_CALLERS: '[{"loopback":true,"roles":["decide"]}]', PLACET_BUNDLES: 'a=b,c=d' },
    );
    expect(callers.config).toMatchObject({
      callers: [{ loopback: true, roles: ['decide'] }],
      bundles: { a: 'b', c: 'd' },
    });
  });

  test('[CFG1] a name in a map of texts may have dots in it', () => {
    const set = ['bundles.m.example=x.pem', 'bundles.n=y.pem', 'limits.body=2048'];
    const { config, originOf } = good({ set }, {});
    expect(config).toMatchObject({
      bundles: { 'm.example': 'x.pem', n: 'y.pem' },
      limits: { body: 2_048 },
    });
    expect(originOf(['bundles', 'm.example'])).toBe('--set bundles.m.example');
    expect(wrong({ set: ['bundles.m.example='] }, {})).toEqual([
      expect.stringMatching(/^--set bundles.m.example: bundles\["m.example"\]: got an empty string/),
    ]);
  });

  test('[CFG1] placet config shows them', async () => {
    const config = file('ttl: 1\n');
    const { code, out } = await run(['config', '--config', config, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ttl: { value: 1, origin: `${config}:1:6` },
      listen: { value: '127.0.0.1:8420', origin: 'default' },
      'tls.key': { value: null, origin: 'default' },
    });
    expect((await run(['config', '--set', 'ttl=9'])).out).toMatch(/^ttl +9 +--set ttl$/m);
  });

  test('[CFG2] all that is wrong is said at once, with its place', () => {
    const config = file(
      'listn: x\nttl: many\nlimits: { body: 1 }\ncallers:\n  - { spiffeId: x, roles: [decide] }\n  - { roles: [decied] }\n',
    );
    expect(wrong({ config, set: ['nothing'] }, { PLACET_TTLL: '1', PLACET_XFCC: 'middle' })).toEqual([
      expect.stringMatching(/^PLACET_TTLL: no such setting \(did you mean "PLACET_TTL"\?\)$/),
      expect.stringMatching(/^--set nothing: no value/),
      expect.stringMatching(/placet.yaml:5:17: callers\[0\].spiffeId: got "x", want a SPIFFE ID: /),
      expect.stringMatching(/placet.yaml:6:15: callers\[1\].roles\[0\]: got "decied".*did you mean "decide"/),
      expect.stringMatching(/^PLACET_XFCC: xfcc: got "middle", want "only", "last" or "first"/),
      expect.stringMatching(/placet.yaml:2:6: ttl: got "many", want a number/),
      expect.stringMatching(/placet.yaml:3:17: limits.body: got the number 1/),
      expect.stringMatching(/placet.yaml:1:1: listn: .*did you mean "listen"/),
    ]);
    const more = file(
      'callers: [{ loopback: true, socket: true, roles: [decide] }]\nlog: { to: file }\nenvoy: { listen: ":1", destinations: { y: {}, "spiffe://x": {} } }\n',
    );
    expect(wrong({ config: more }, {}).map((line) => line.replace(/^.*yaml:[\d:]+ /, ''))).toEqual([
      'callers[0]: got both "loopback" and "socket", want one of them',
      'log.file: got nothing, want a value where "to" is "file"',
      expect.stringContaining('envoy.listen: got ":1", want host:port'),
      'envoy.destinations.y: got "y", want a SPIFFE ID',
      'envoy.destinations["spiffe://x"]: got none of "dataplane" and "service", want one of them',
    ]);
    const form = 'want host:port, [address]:port or unix:/path';
    expect(wrong({ listen: 'x' }, {})).toEqual([`--listen: listen: got "x", ${form}`]);
    expect(
      wrong({ listen: '9999', set: ['envoy.listen=[::1]:70000', 'publicUrl=x'] }, { PLACET_FOO: '1' }),
    ).toEqual([
      'PLACET_FOO: no such setting (placet config shows all of them)',
      `--listen: listen: got "9999", ${form} (this machine alone is 127.0.0.1:9999)`,
      expect.stringMatching(/^--set publicUrl: publicUrl: got "x", want https:/),
      '--set envoy.listen: envoy.listen: got the port 70000 in "[::1]:70000", want one from 0 to 65535',
    ]);
    expect(wrong({ config: join(folder, 'none') }, {})[0]).toContain('cannot be read: no such file');
    expect(wrong({ config: file('- a\n', 'list.yaml') }, {})[0]).toContain('want one object of settings');
    expect(wrong({ config: file('a: {\n', 'broken.yaml') }, {})[0]).toContain('broken.yaml:');
    expect(wrong({ config: file('ttl: 1\nttl: 2\n', 'twice.yaml') }, {})[0]).toContain('twice.yaml:2:1');
  });

  test('[CFG2] with a mistake in it nothing is started', async () => {
    const { code, out, err } = await run(['serve', '--set', 'ttl=x', '--listen', '1']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('--set ttl: ttl: got "x", want a number');
    expect(err).toContain('the configuration has 2 problems, so nothing is started');
    const config = await run(['config', '--set', 'ttl=x']);
    expect(config.err).toContain('the configuration has 1 problem, so nothing is shown');
    const elsewhere = await run(['serve', '--listen', '0.0.0.0:1']);
    expect([elsewhere.code, elsewhere.err]).toEqual([
      2,
      expect.stringContaining('without knowing who calls'),
    ]);
  });

  test('[CFG3] what Kubernetes makes of a Service is no setting', () => {
    const made = [
      'SERVICE_HOST',
      'SERVICE_PORT',
      'SERVICE_PORT_HTTP',
      'PORT',
      'PORT_8420_TCP',
      'PORT_8420_TCP_PROTO',
      'PORT_8420_TCP_PORT',
      'PORT_8420_TCP_ADDR',
      'CANARY_SERVICE_HOST',
      'CANARY_PORT_1_UDP_ADDR',
    ];
    expect(wrong({}, Object.fromEntries(made.map((name) => [`PLACET_${name}`, 'x'])))).toEqual([]);
    expect(wrong({}, { PLACET_PORTS: '1' })).toHaveLength(1);
  });

  test('[CFG4] paths of a file are meant from where it is', () => {
    const config = file('policies: [a, /b]\nbundles: { td: c.pem }\ntls: { certificate: d, key: ../e }\n');
    const all = good({ config }, {}).config;
    expect(all.policies).toEqual([join(folder, 'a'), '/b']);
    expect([all.bundles, all.tls]).toEqual([
      { td: join(folder, 'c.pem') },
      { certificate: join(folder, 'd'), key: join(folder, '../e') },
    ]);
    expect(good({ config, policies: ['a'] }, { PLACET_TLS_KEY: 'k' }).config).toMatchObject({
      policies: ['a'],
      tls: { key: 'k' },
    });
  });
});

test('[CFG5] what is printed at the start works as it stands', async () => {
  const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
  const flags = ['--listen', '127.0.0.1:0', '--set', 'envoy.listen=127.0.0.1:0'];
  const child = spawn(process.execPath, [main, 'serve', ...flags], {
    cwd: mkdtempSync(join(folder, 'empty-')),
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  try {
    for await (const chunk of child.stdout) {
      said += chunk;
      if (said.includes('Ask it:') && said.trimEnd().endsWith("'")) break;
    }
    expect(said).toMatch(/^placet listens on http:\/\/127\.0\.0\.1:\d+$/m);
    expect(said).toMatch(/^ {2}envoys {4}127\.0\.0\.1:\d+ \(by gRPC: ext_authz and xDS\)$/m);
    expect(said).toMatch(/^ {2}policies {2}those that come with placet: \d+ policies, \d+ rules$/m);
    expect(said).toMatch(/^ {2}callers {3}whoever is on this machine: decide, relay, assert, explain$/m);
    expect(said).toMatch(/^ {2}reference http:\/\/127\.0\.0\.1:\d+\/docs, \/openapi\.json$/m);
    const command = said.split('\n').find((line) => line.startsWith('  curl ')) ?? '';
    const readme = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');
    expect(readme).toContain(`\n${command.trim().replace(/127\.0\.0\.1:\d+/, '127.0.0.1:8420')}\n`);
    const { stdout } = await promisify(exec)(command);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'allow', by: { policy: 'old-clients' } });
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
