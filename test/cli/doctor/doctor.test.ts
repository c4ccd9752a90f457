import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { checkBundles } from '../../../src/cli/doctor/bundles.ts';
import { checkClock } from '../../../src/cli/doctor/cluster.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { signer } from '../../attributes/jwt/tokens.ts';
import { bundleMessage, ders, TestServer } from '../../attributes/workload-api/server.ts';
import { type Authority, authority } from '../../support/certificates/index.ts';
import { run } from '../world.ts';

/** What needs no cluster; a live test asks a real one. */

const folder = mkdtempSync(join(tmpdir(), 'placet-doctor-'));
const at = (name: string) => join(folder, name);
const key = signer();
const jwk = { kid: key.kid, use: 'jwt-svid', ...key.publicKey.export({ format: 'jwk' }) };
let home: Authority;

beforeAll(async () => {
  home = await authority('td.example');
  const expired = await authority('td.example', { validity: 'expired', generation: 2 });
  writeFileSync(at('good.pem'), home.bundle);
  writeFileSync(at('expired.pem'), expired.bundle);
  writeFileSync(at('both.pem'), home.bundle + expired.bundle);
  writeFileSync(at('none.pem'), 'nothing');
  writeFileSync(at('keys.json'), JSON.stringify({ keys: [jwk] }));
  writeFileSync(at('empty.json'), JSON.stringify({ keys: [] }));
  writeFileSync(at('good.yaml'), 'type: Site\nname: eu-1\n');
  writeFileSync(at('bad.yaml'), 'type: Site\nname: eu-1\nfloor: high\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const hours = (n: number) => Date.now() + n * 3_600_000;
const bundle = (file: string, now = Date.now()): Finding =>
  checkBundles([`td.example=${at(file)}`], now)[0] as Finding;

describe('[DR1] bundles', () => {
  it('[DR1] say what is in them and when the first authority ends', () => {
    const { outcome, says } = bundle('good.pem');
    expect([outcome, says]).toEqual([
      'ok',
      expect.stringMatching(/^1 authority, 0 token keys; the only valid one ends 20\d\d-.*Z$/),
    ]);
  });

  it.each([
    ['good.pem', 22.9, 'warn', 'take the next authority in before that'],
    ['good.pem', 25, 'fail', 'put the bundle there that the authority publishes'],
    ['good.pem', -2, 'fail', 'put the bundle there that the authority publishes'],
    ['both.pem', 0, 'warn', 'take out what is over'],
    ['expired.pem', 0, 'fail', 'put the bundle there that the authority publishes'],
    ['none.pem', 0, 'fail', 'put the bundle there that the authority publishes'],
    ['missing.pem', 0, 'fail', 'put the bundle there that the authority publishes'],
    ['empty.json', 0, 'fail', 'put the bundle there that the authority publishes'],
    ['keys.json', 0, 'warn', expect.stringContaining('take its X.509 authorities in too')],
  ])('[DR1] %s after %s hours: %s', (file, later, outcome, todo) => {
    expect(bundle(file, hours(later))).toMatchObject({ check: 'bundle of td.example', outcome, todo });
  });
});

describe('[DR1] the Workload API', () => {
  const server = new TestServer();
  afterAll(() => server.remove());

  it('[DR1] has bundles like those of files, or does not answer', async () => {
    await server.listen();
    server.answers.FetchX509Bundles = (call) =>
      call.say(bundleMessage(2, { 'spiffe://td.example': ders(home.bundle) }));
    server.answers.FetchJWTBundles = (call) =>
      call.say(bundleMessage(1, { 'spiffe://td.example': JSON.stringify({ keys: [jwk] }) }));
    const { code, out } = await run(['doctor', '--workload-api', `unix://${server.path}`]);
    expect([code, out]).toEqual([0, expect.stringContaining('1 authority, 1 token key')]);
    const away = await run(['doctor', '--workload-api', 'unix:///nowhere/at/all']);
    expect([away.code, away.out]).toEqual([1, expect.stringContaining('see that the agent runs')]);
    vi.stubEnv('SPIFFE_ENDPOINT_SOCKET', `unix://${server.path}`);
    expect((await run(['doctor', '--workload-api'])).code).toBe(0);
    vi.unstubAllEnvs();
  });
});

describe('[DR2] policies', () => {
  it('[DR2] are sound, or it is said what is wrong, and where all of it is said', async () => {
    const good = await run(['doctor', '--policies', at('good.yaml')]);
    expect([good.code, good.out]).toEqual([0, expect.stringMatching(/policies +ok +0 policies, 0 rules/)]);
    const bad = await run(['doctor', '--policies', at('bad.yaml')]);
    expect([bad.code, bad.out]).toEqual([
      1,
      expect.stringMatching(/policies +fail +1 problem: .*bad\.yaml:3:8/s),
    ]);
    expect(bad.out).toContain('-> placet check says all');
    expect((await run(['doctor', '--policies', at('nowhere')])).code).toBe(1);
    const warned = await run(['doctor', '--policies', 'policies']);
    expect([warned.code, warned.out]).toEqual([0, expect.stringContaining('-> placet lint says which')]);
  });
});

describe('[DR3] the clock', () => {
  const now = Date.UTC(2026, 0, 1);
  test.each([
    [0, 'ok'],
    [-2_400, 'ok'],
    [-2_600, 'warn'],
    [1_600, 'warn'],
    [29_400, 'warn'],
    [29_600, 'fail'],
    [-86_400_000, 'fail'],
  ])('[DR3] %i ms from that of the API server: %s', (off, outcome) => {
    expect(checkClock(now + off, now).outcome).toBe(outcome);
  });

  test('[DR3] a server that does not say what time it is', () => {
    expect(checkClock(Date.parse(''), now).outcome).toBe('warn');
  });
});

describe('[DR6] placet doctor', () => {
  it('[DR6] looks at nothing that was not named', async () => {
    expect((await run(['doctor'])).code).toBe(2);
    expect((await run(['doctor', '--bundle', 'td.example'])).code).toBe(2);
    expect((await run(['doctor', '--workload-api', 'http://a'])).code).toBe(2);
  });

  it('[DR6] ends with 1 if something fails, in text and in JSON', async () => {
    const args = ['doctor', '--bundle', `td.example=${at('expired.pem')}`, '--policies', at('good.yaml')];
    const text = await run(args);
    expect([text.code, text.out]).toEqual([1, expect.stringContaining('1 failed, 0 to look at, 1 good')]);
    const json = await run([...args, '--json']);
    expect([json.code, JSON.parse(json.out)]).toEqual([
      1,
      {
        failed: 1,
        warnings: 0,
        checks: [
          { check: 'policies', outcome: 'ok', says: expect.any(String) },
          {
            check: 'bundle of td.example',
            outcome: 'fail',
            says: expect.stringContaining('none of which is valid now'),
            todo: 'put the bundle there that the authority publishes',
          },
        ],
      },
    ]);
  });

  it('[DR6] a kubeconfig that cannot be read, or leads nowhere, is a failed check', async () => {
    const none = await run(['doctor', '--kubeconfig', at('nowhere')]);
    expect([none.code, none.out]).toEqual([1, expect.stringMatching(/API server +fail/)]);
    const server = 'https://127.0.0.1:1';
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'a', cluster: { server } }],
      users: [{ name: 'a', user: { token: 'secret-of-nobody' } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    };
    writeFileSync(at('kubeconfig'), JSON.stringify(config));
    const away = await run(['doctor', '--kubeconfig', at('kubeconfig')]);
    expect([away.code, away.out]).toEqual([1, expect.stringContaining(server)]);
    expect(away.out).not.toContain('secret-of-nobody');
  });
});
