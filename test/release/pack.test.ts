import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { live, type Need, needs } from '../live.ts';
import { isGenerated } from '../rules/modules.ts';
import { blocksOf } from '../sessions.ts';
import { bytesUnder, compileAndRun, install, pack, root, run, type Tarball } from './packed.ts';

const oldest = /\d+\.\d+/.exec(manifest.engines.node)?.[0] ?? '';
const oldestNode = `node-${process.platform}-${process.arch}@${oldest}.0`;

const folder = mkdtempSync(join(tmpdir(), 'placet-release-'));
const nodes = new Map([['24', process.execPath]]);

/** It is tried by installing the oldest Node, which is needed anyway. */
const registry: Need = {
  program: `the package ${oldestNode}`,
  get: 'needs the package registry, and a platform that it has this Node for',
  found: () => {
    try {
      install(join(folder, 'oldest'), oldestNode);
    } catch {
      return false;
    }
    nodes.set(oldest, join(folder, 'oldest/node_modules', oldestNode.replace(/@.*/, ''), 'bin/node'));
    return true;
  },
};
const needed = needs([registry]);

const policy = `type: AccessPolicy
name: web-to-pay
namespace: shop
spec:
  action: allow
  from: [{ workloadSelector: { matchLabels: { "k8s:ns": shop } } }]
  to: [{ workloadSelector: {} }]
---
type: Service
name: pay
namespace: shop
`;
const consumer = readFileSync(new URL('fixtures/consumer/main.ts', import.meta.url), 'utf8');
const request = { source: { attributes: { 'k8s:ns': 'shop' } }, destination: { service: 'shop/pay' } };

let tarball: Tarball;
beforeAll(() => {
  tarball = pack(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the tarball', () => {
  test('has no script that npm asks about, or runs, where it is installed', () => {
    const run = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];
    expect(run.filter((name) => Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });

  test('holds what runs, its types and the policies of the tour', () => {
    const wanted = [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/client/index.js',
      'dist/client/index.d.ts',
      'dist/cli/main.js',
      'kinds/mesh-timeout.yaml',
      'deploy/crds/site.yaml',
      'deploy/rbac.yaml',
      'LICENSE',
      'README.md',
      'package.json',
    ];
    expect(tarball.entries).toEqual(expect.arrayContaining(wanted));
    expect(tarball.entries.filter((entry) => entry.startsWith('policies/')).length).toBeGreaterThan(1);
  });

  test('holds no tests, no sources, nothing else', () => {
    const places = /^(?:deploy\/|dist\/|kinds\/|policies\/|(?:LICENSE|README\.md|package\.json)$)/;
    expect(tarball.entries.filter((entry) => !places.test(entry))).toEqual([]);
    expect(
      tarball.entries.filter((entry) => /\.(?:test|spec|property|golden)\.|fixtures?\//.test(entry)),
    ).toEqual([]);
    expect(tarball.entries.filter((entry) => /(?<!\.d)\.ts$/.test(entry))).toEqual([]);
  });

  test('has for every file that is built a source that still exists', () => {
    const built = tarball.entries.filter((entry) => /^dist\/.*\.js$/.test(entry));
    const lacking = built.filter((entry) => {
      const source = entry.replace(/^dist\//, 'src/');
      return !existsSync(join(root, isGenerated(source) ? source : source.replace(/\.js$/, '.ts')));
    });
    expect(lacking).toEqual([]);
  });

  test('is clean by publint, suggestions included', async () => {
    const bytes = readFileSync(tarball.file);
    const archive = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages } = await publint({ pack: { tarball: archive } });
    expect(messages).toEqual([]);
  });
});

describe('installed in an empty folder', () => {
  const placet = (node: string, ...args: string[]) =>
    run(
      nodes.get(node) ?? '',
      [join(folder, 'user/node_modules/.bin/placet'), ...args],
      join(folder, 'user'),
    );

  live(needed, 'npm installs it, and the oldest Node it runs on', () => {
    install(join(folder, 'user'), tarball.file);
    writeFileSync(join(folder, 'user/policy.yaml'), policy);
    writeFileSync(join(folder, 'user/request.json'), JSON.stringify(request));
    expect(run(nodes.get(oldest) ?? '', ['--version'], folder)).toBe(`v${oldest}.0\n`);
    expect(process.version).toMatch(/^v24\./);
  });

  for (const node of [oldest, '24']) {
    live(needed, `placet --version on Node ${node}`, () => {
      expect(placet(node, '--version').trim()).toBe(manifest.version);
    });

    live(needed, `placet check on Node ${node}`, () => {
      expect(() => placet(node, 'check', 'policy.yaml')).not.toThrow();
      expect(() => placet(node, 'check', 'node_modules/placet/policies')).not.toThrow();
      expect(() => placet(node, 'check', 'no-such-file.yaml')).toThrow();
    });

    live(needed, `placet knows the kinds that come with it on Node ${node}`, () => {
      const conf = (kind: string) => () =>
        placet(node, 'conf', '-p', 'policy.yaml', '-d', 'nobody', '--kind', kind);
      expect(conf('MeshTimeout')).toThrow(/dataplane/);
      expect(conf('MeshTimeouts')).toThrow(/did you mean MeshTimeout\?/);
    });

    live(needed, `placet decide on Node ${node}`, () => {
      const line = placet(node, 'decide', '--policies', 'policy.yaml', '--request', 'request.json', '--json');
      expect(JSON.parse(line)).toMatchObject({
        decision: 'allow',
        tier: 3,
        by: { policy: 'web-to-pay' },
        reason: 'rule',
      });
    });

    live(needed, `the tour finds its policies on Node ${node}`, () => {
      expect(placet(node, 'tour')).toMatch(/allow[\s\S]*deny|deny[\s\S]*allow/);
    });

    live(needed, `a TypeScript program compiles against its types and runs on Node ${node}`, () => {
      const said = JSON.parse(compileAndRun(join(folder, 'user'), consumer, nodes.get(node) ?? ''));
      expect(said).toMatchObject({ effects: ['allow', 'deny', 'allow'], by: 'web-to-pay' });
      expect(said.reasons).toEqual(['invalid-request', 'invalid-request']);
      expect(said.closed).toEqual([false, false, false]);
      expect(said.problems).toBeGreaterThan(0);
    });
  }

  live(needed, 'the program in README.md prints what stands there', () => {
    const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'));
    const [program, output] = ['ts', 'text'].map((language) =>
      blocks.find((block) => block.language === language)?.lines.join('\n'),
    );
    expect(compileAndRun(join(folder, 'user'), program ?? '', process.execPath).trimEnd()).toBe(output);
  });

  live(needed, 'it takes at most 60 MB with all it depends on', () => {
    const bytes = bytesUnder(join(folder, 'user/node_modules'));
    console.log(`tarball ${(tarball.size / 1e6).toFixed(2)} MB, installed ${(bytes / 1e6).toFixed(1)} MB`);
    expect(bytes).toBeLessThan(60e6);
  });
});
