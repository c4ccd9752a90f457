import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';

/** `placet export envoy --watch`, as a process of its own. */

const main = join(import.meta.dirname, '../../src/cli/main.ts');
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

function folders() {
  const folder = mkdtempSync(join(tmpdir(), 'placet-watch-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return { out: join(folder, 'out'), policies: mkdtempSync(join(folder, 'policies-')) };
}

/** Whole at once, as editors do it. */
function put(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `.${name}`), text);
  renameSync(join(folder, `.${name}`), join(folder, name));
}

const mesh = 'type: Mesh\nname: m\ntrustDomains: [td]\n';
const plane = (name: string) =>
  `type: Dataplane\nmesh: m\nname: ${name}\nlabels: {app: ${name}}\ninbounds: [{name: in, port: 80, protocol: http}]\n`;
const allow = (app: string, who: string, more = '') => `type: MeshTrafficPermission
mesh: m
name: ${app}
spec:
  targetRef: {kind: Dataplane, labels: {app: ${app}}}
  default: {allow: [{spiffeId: {type: Exact, value: "spiffe://td/${who}"}}]${more}}
`;

interface Watching {
  readonly process: ChildProcess;
  readonly text: () => string;
  /** Resolves once it has said that; what it said before does not count again. */
  said(words: string): Promise<void>;
  ended(): Promise<unknown>;
}

function watch(...args: readonly string[]): Watching {
  const child = spawn(process.execPath, [main, 'export', 'envoy', '--as', 'ecds', '--watch', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  closing.push(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code);
  let [text, heard] = ['', 0];
  let look = (): void => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      look();
    });
  return {
    process: child,
    text: () => text,
    said: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = text.indexOf(words, heard);
          if (at < 0) return;
          heard = at + words.length;
          resolve();
        };
        look();
        void ended.then((code) =>
          reject(new Error(`it ended with ${code}, and never said ${words}:\n${text}`)),
        );
      }),
    ended: () => ended,
  };
}

describe('placet export envoy --watch', () => {
  test('[MODE7] only what changed is replaced, and what is broken or cannot be exported stays', async () => {
    const { out, policies } = folders();
    put(policies, 'mesh.yaml', mesh);
    for (const name of ['a', 'b']) {
      put(policies, `plane-${name}.yaml`, plane(name));
      put(policies, `${name}.yaml`, allow(name, 'one'));
    }
    const [a, b] = [join(out, 'm_a_in.yaml'), join(out, 'm_b_in.yaml')];
    const inodes = () => [a, b].map((file) => statSync(file).ino);
    const watching = watch('--policies', policies, '--all', '--out', out, '--filter', 'network');
    await watching.said('2 files in ');
    const [first, other] = inodes();
    put(policies, 'a.yaml', allow('a', 'two'));
    await watching.said('1 file changed');
    expect(readFileSync(a, 'utf8')).toContain('spiffe://td/two');
    const [second, same] = inodes();
    expect([second === first, same]).toEqual([false, other]);

    put(policies, 'a.yaml', allow('a', 'three').replace('spec', 'spek'));
    await watching.said('got the unknown field "spek"');
    await watching.said('of what is broken the last good version goes on');
    put(policies, 'b.yaml', allow('b', 'two'));
    await watching.said('1 file changed');
    expect([readFileSync(a, 'utf8').includes('/two'), inodes()[0]]).toEqual([true, second]);

    const path = ', deny: [{path: {type: PathPrefix, value: /x}}]';
    const before = inodes()[1];
    put(policies, 'b.yaml', allow('b', 'two', path));
    await watching.said('m/b/in: got a policy that Envoy cannot enforce');
    expect(inodes()[1]).toBe(before);
    // A good one again, and nothing is left of what was broken.
    put(policies, 'a.yaml', allow('a', 'four'));
    await watching.said('1 file changed');
    expect(readFileSync(a, 'utf8')).toContain('spiffe://td/four');

    rmSync(join(policies, 'plane-a.yaml'));
    await watching.said('1 file changed');
    const gone = readFileSync(a, 'utf8');
    expect([gone.includes('spiffe://'), gone.includes('name: unknown-dataplane')]).toEqual([false, true]);
    expect(gone).toContain('action: DENY');
    // Nothing is left beside the files.
    expect(readdirSync(out).sort()).toEqual(['m_a_in.yaml', 'm_b_in.yaml']);
    watching.process.kill('SIGINT');
    expect(await watching.ended()).toBe(0);
  });

  test('[MODE7] one inbound, and what is there already is not written again', async () => {
    const { out, policies } = folders();
    put(policies, 'all.yaml', [mesh, plane('a'), allow('a', 'one')].join('---\n'));
    const args = ['--policies', policies, '-d', 'm/a', '--inbound', 'in', '--out', out, '--json'];
    const file = join(out, 'm_a_in.json');
    const inodes: number[] = [];
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const watching = watch(...args);
      await watching.said('1 file in ');
      inodes.push(statSync(file).ino);
      watching.process.kill(signal);
      expect([signal, await watching.ended()]).toEqual([signal, 0]);
    }
    expect(inodes[0]).toBe(inodes[1]);
    expect(JSON.parse(readFileSync(file, 'utf8')).resources[0].name).toBe('envoy.filters.http.rbac');
  });

  test('[MODE7] one inbound that goes, and comes again', async () => {
    const { out, policies } = folders();
    put(policies, 'all.yaml', [mesh, allow('a', 'one')].join('---\n'));
    put(policies, 'plane.yaml', plane('a'));
    const watching = watch('--policies', policies, '-d', 'm/a', '--inbound', 'in', '--out', out);
    await watching.said('1 file in ');
    const file = join(out, 'm_a_in.yaml');
    const allowed = readFileSync(file, 'utf8');
    rmSync(join(policies, 'plane.yaml'));
    await watching.said('1 file changed');
    expect(readFileSync(file, 'utf8')).toContain('name: unknown-dataplane');
    put(policies, 'plane.yaml', plane('a'));
    await watching.said('1 file changed');
    expect(readFileSync(file, 'utf8')).toBe(allowed);
  });

  test('[MODE7] what is wrong at the beginning ends it', async () => {
    const { out, policies } = folders();
    put(policies, 'all.yaml', [mesh, plane('a'), allow('a', 'one')].join('---\n'));
    const unknown = watch('--policies', policies, '-d', 'm/c', '--out', out);
    expect([await unknown.ended(), unknown.text()]).toEqual([1, expect.stringContaining('"m/c"')]);
    put(policies, 'all.yaml', 'type: Mesh\nname: m\nwrong: 1\n');
    const broken = watch('--policies', policies, '--all', '--out', out);
    expect([await broken.ended(), broken.text()]).toEqual([1, expect.stringContaining('"wrong"')]);
  });
});
