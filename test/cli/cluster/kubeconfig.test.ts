import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
  expect(await asked(undefined)).toEqual([
    1,
    'placet: kubernetes: /none: cannot be read: no such file or directory',
  ]);
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

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const withoutClient = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) =>
  next(name === '@kubernetes/client-node' ? '@kubernetes/not-installed' : name, context) });`;

test('[KSRV6] without the client that a cluster takes it is said how to install it', async () => {
  const without = ['--import', `data:text/javascript,${encodeURIComponent(withoutClient)}`];
  const asked = ['serve', '--listen', '127.0.0.1:0', '--set', 'kubernetes={}'];
  await expect(promisify(execFile)(process.execPath, [...without, main, ...asked])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^placet: kubernetes: .* package @kubernetes\/client-node, .* \(npm install @kubernetes\/client-node\)\n$/,
    ),
  });
});
