import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { temporary } from '../../support/envoy/temporary.ts';
import { run } from '../world.ts';

const folder = temporary();
afterAll(() => folder.remove());
afterEach(() => vi.unstubAllEnvs());

const secret = 'token-of-somebody';
const config = (server: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'u', user: { token: secret } }],
    contexts: [{ name: 'east', context: { cluster: 'a', user: 'u' } }],
    'current-context': 'east',
  });

async function asked(text: string | undefined, ...more: readonly string[]) {
  const file = `${folder.path}/kubeconfig`;
  if (text !== undefined) writeFileSync(file, text);
  const named = ['--kubeconfig', text === undefined ? `${folder.path}/none` : file];
  const { code, out, err } = await run(['whois', '--ip', '10.0.0.1', ...named, ...more]);
  expect(out + err).not.toContain(secret);
  expect(err.split('\n')).toHaveLength(2);
  return [code, err.replaceAll(folder.path, '').trimEnd()];
}

test('[KSRV6] a kubeconfig that names no cluster is said to be what it is', async () => {
  expect(await asked(undefined)).toEqual([1, 'placet: kubernetes: /none: cannot be read: ENOENT']);
  expect(await asked(`users: [{token: ${secret}}`)).toEqual([
    1,
    expect.stringMatching(/^placet: kubernetes: \/kubeconfig: got no kubeconfig: unexpected end .*\)$/),
  ]);
  expect(await asked('hello')).toEqual([
    1,
    'placet: kubernetes: /kubeconfig: got no current context, want one with a cluster',
  ]);
  expect(await asked(config('https://127.0.0.1:1'), '--context', 'west')).toEqual([
    1,
    'placet: kubernetes: /kubeconfig: got the context "west", want one of east',
  ]);
  expect(await asked(config('http://127.0.0.1:1'))).toEqual([
    1,
    'placet: kubernetes: /kubeconfig: got the API server http://127.0.0.1:1, want one at https://',
  ]);
});

test('[KSRV6] [KSRV4] a service that is to follow a cluster does not start without one', async () => {
  vi.stubEnv('HOME', folder.path);
  vi.stubEnv('KUBECONFIG', '');
  const serve = (...more: string[]) =>
    run(['serve', '--listen', '127.0.0.1:0', '--set', 'kubernetes={}', ...more]);
  expect(await serve()).toEqual({
    code: 1,
    out: '',
    err: 'placet: kubernetes: got neither a kubeconfig nor the service account of a pod, want one of them\n',
  });
  expect(await serve('--set', 'maxStaleness=14')).toMatchObject({
    code: 2,
    err: expect.stringContaining('got maxStaleness 14 and a cluster, want at least 15'),
  });
});
