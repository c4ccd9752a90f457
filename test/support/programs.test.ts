import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { live, needs } from '../live.ts';
import { temporary } from './envoy/temporary.ts';
import { goProgram } from './programs/build.ts';
import { stateOf } from './programs/cache.ts';
import { locked } from './programs/lock.ts';
import { cacheFolder, type Recipe } from './programs/recipe.ts';

const goMissing = needs([{ program: 'go', get: 'https://go.dev/dl' }]);
let at: (name: string) => string;

/** A program without dependencies: nothing is downloaded for it. */
function recipe(body: string): Recipe {
  const module = at('module');
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, 'go.mod'), 'module hello\n\ngo 1.21\n');
  writeFileSync(join(module, 'go.sum'), '');
  writeFileSync(join(module, 'main.go'), `package main\n\nfunc main() { ${body} }\n`);
  return { name: 'hello', module, binaries: { hello: '.' }, ldflags: '-s -w' };
}

beforeEach(() => {
  const folder = temporary();
  at = (name) => join(folder.path, name);
  vi.stubEnv('XDG_CACHE_HOME', at('cache'));
  return () => {
    vi.unstubAllEnvs();
    folder.remove();
  };
});

describe('programs in Go', () => {
  live(goMissing, 'a program is built, told of, and known again by what it is', async () => {
    const said: string[] = [];
    const hello = recipe('println("hello")');
    const { folder } = await goProgram(hello, (line) => said.push(line));
    expect(said[0]).toMatch(/^hello: building hello: 0 modules/);
    expect(said.at(-1)).toMatch(/^hello: built hello: 0 modules downloaded, \d+ packages compiled, \d+ s$/);
    execFileSync(join(folder, 'hello'), { stdio: 'ignore' });
    expect(await stateOf(folder, hello)).toBe('whole');
    writeFileSync(join(folder, 'hello'), 'something else');
    expect(await stateOf(folder, hello)).toBe('broken');
  });

  live(goMissing, 'what it is made of decides where it is kept', () => {
    const hello = recipe('');
    const before = cacheFolder(hello);
    expect(cacheFolder({ ...hello, ldflags: '' })).not.toBe(before);
    writeFileSync(join(hello.module, 'go.sum'), '\n');
    expect(cacheFolder(hello)).not.toBe(before);
  });

  live(goMissing, 'one that is no longer what was built is built again', async () => {
    const hello = recipe('println("again")');
    const folder = cacheFolder(hello);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'hello'), 'something else');
    const said: string[] = [];
    await goProgram(hello, (line) => said.push(line));
    expect(said[0]).toBe(`hello: ${folder} is not what was built; building it again`);
    expect(await stateOf(folder, hello)).toBe('whole');
  });

  live(goMissing, 'one that cannot be built says why', async () => {
    await expect(goProgram(recipe('nonsense'), () => undefined)).rejects.toThrow(
      /^hello cannot be built: .*undefined: nonsense/,
    );
    expect(existsSync(`${cacheFolder(recipe('nonsense'))}.lock`)).toBe(false);
  });

  test('without Go that is the reason', async () => {
    const hello = recipe('');
    vi.stubEnv('PATH', at('nothing'));
    await expect(goProgram(hello)).rejects.toThrow('hello is built with Go: there is no go on the PATH');
  });

  test('one builds at a time, and who died with the lock does not keep others from it', async () => {
    const order: string[] = [];
    const lock = at('lock');
    writeFileSync(lock, '');
    utimesSync(lock, 0, 0);
    const work = (name: string) =>
      locked(
        lock,
        () => undefined,
        async () => {
          order.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, 50));
          order.push(`${name} ends`);
        },
      );
    await Promise.all([work('a'), work('b')]);
    expect(order.map((line) => line.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends']);
    expect(existsSync(lock)).toBe(false);
  });
});
