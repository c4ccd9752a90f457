import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Folders } from '../../../src/gateway/live/folders.ts';
import { policy } from './documents.ts';

let folder: string;
let folders: Folders;
/** Resolves at the next word of the source that is not yet taken. */
let told: () => Promise<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placet-folders-'));
});
afterEach(() => {
  folders.close();
  rmSync(folder, { recursive: true });
});

function open(...paths: readonly string[]): void {
  folders = new Folders(paths);
  let heard = Promise.withResolvers<void>();
  folders.onChange(() => heard.resolve());
  told = async () => {
    await heard.promise;
    heard = Promise.withResolvers();
  };
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Files with the number of their documents, or the code of what is wrong. */
function read(): Record<string, number | string> {
  const units = folders
    .read()
    .map(({ name, documents, violations }): [string, number | string] => [
      relative(folder, name),
      violations[0]?.code ?? documents.length,
    ]);
  return Object.fromEntries(units);
}

describe('a folder that is followed', () => {
  test('[LIVE2] tells of files that are put in place, edited in place, taken away, in new folders too', async () => {
    write('a.yaml', policy('a'));
    open(folder);
    expect(read()).toEqual({ 'a.yaml': 1 });
    write('.new', `${policy('a')}---\n${policy('b')}`);
    renameSync(join(folder, '.new'), join(folder, 'a.yaml'));
    await told();
    expect(read()).toEqual({ 'a.yaml': 2 });
    write('a.yaml', policy('a'));
    await told();
    expect(read()).toEqual({ 'a.yaml': 1 });
    mkdirSync(join(folder, 'more'));
    await told();
    read();
    write('more/b.yaml', policy('b'));
    await told();
    expect(read()).toEqual({ 'a.yaml': 1, 'more/b.yaml': 1 });
    unlinkSync(join(folder, 'more', 'b.yaml'));
    await told();
    expect(read()).toEqual({ 'a.yaml': 1 });
  });

  test('[LIVE2] tells of the links of a mounted ConfigMap, and of a folder in the place of another', async () => {
    const mounted = join(folder, 'mounted');
    mkdirSync(join(mounted, '..1'), { recursive: true });
    mkdirSync(join(mounted, '..2'));
    write('mounted/..1/a.yaml', policy('a'));
    write('mounted/..2/a.yaml', `${policy('a')}---\n${policy('b')}`);
    symlinkSync('..1', join(mounted, '..data'));
    symlinkSync(join('..data', 'a.yaml'), join(mounted, 'a.yaml'));
    open(mounted);
    expect(read()).toEqual({ 'mounted/a.yaml': 1 });
    symlinkSync('..2', join(mounted, '..new'));
    renameSync(join(mounted, '..new'), join(mounted, '..data'));
    await told();
    expect(read()).toEqual({ 'mounted/a.yaml': 2 });
    mkdirSync(join(folder, 'other'));
    write('other/c.yaml', policy('c'));
    renameSync(mounted, join(folder, 'old'));
    renameSync(join(folder, 'other'), mounted);
    await told();
    expect(read()).toEqual({ 'mounted/c.yaml': 1 });
    write('mounted/d.yaml', policy('d'));
    await told();
    expect(read()).toEqual({ 'mounted/c.yaml': 1, 'mounted/d.yaml': 1 });
  });

  test('[LIVE2] tells of a file that is named itself', async () => {
    write('one.txt', policy('a'));
    open(join(folder, 'one.txt'));
    expect(read()).toEqual({ 'one.txt': 1 });
    write('.new', `${policy('a')}---\n${policy('b')}`);
    renameSync(join(folder, '.new'), join(folder, 'one.txt'));
    await told();
    expect(read()).toEqual({ 'one.txt': 2 });
  });

  test('[LIVE5] that is empty all of a sudden, or gone, is as it was, and is not fresh', () => {
    write('a.yaml', policy('a'));
    open(folder);
    read();
    const fresh = () => folders.report().age;
    unlinkSync(join(folder, 'a.yaml'));
    const before = fresh()!;
    expect(read()).toEqual({ 'a.yaml': 1, '': 'empty' });
    expect(fresh()).toBeGreaterThanOrEqual(before);
    expect(folders.report().problems).toEqual([
      expect.stringMatching(/got nothing, where 1 file was \(is it mounted/),
    ]);
    expect(read()).toEqual({ 'a.yaml': 1, '': 'empty' });
    rmSync(folder, { recursive: true });
    expect(read()).toEqual({ 'a.yaml': 1, '': 'unreadable' });
    mkdirSync(folder);
    write('b.yaml', policy('b'));
    expect(read()).toEqual({ 'b.yaml': 1 });
    expect(folders.report().problems).toEqual([]);
  });

  test('[LIVE5] keeps a file that is emptied, however often it is read, until it is written or deleted', () => {
    write('a.yaml', policy('a'));
    write('b.yaml', policy('b'));
    open(folder);
    read();
    write('a.yaml', '');
    expect([read(), read()]).toEqual([
      { 'a.yaml': 'empty', 'b.yaml': 1 },
      { 'a.yaml': 'empty', 'b.yaml': 1 },
    ]);
    write('a.yaml', 'type: [');
    expect(read()).toEqual({ 'a.yaml': 'syntax', 'b.yaml': 1 });
    write('a.yaml', '');
    expect(read()).toEqual({ 'a.yaml': 'empty', 'b.yaml': 1 });
    write('a.yaml', '# nothing here\n');
    expect(read()).toEqual({ 'a.yaml': 0, 'b.yaml': 1 });
    write('a.yaml', policy('a'));
    unlinkSync(join(folder, 'b.yaml'));
    expect(read()).toEqual({ 'a.yaml': 1 });
  });

  test('[LIVE7] without a document has nothing to begin with', () => {
    open(folder);
    expect(read()).toEqual({ '': 'empty' });
    expect(folders.report().synced).toBe(false);
  });
});
