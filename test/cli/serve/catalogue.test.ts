import { expect, test } from 'vitest';
import { LiveCatalogue } from '../../../src/cli/serve/catalogue.ts';
import type { Answers, Given, Wanted } from '../../../src/cli/serve/rendering.ts';
import { proxyOf } from '../../../src/envoy/xds/names.ts';

const nodeOf = (id: string) => ({ id, cluster: '', proxy: proxyOf({ id, cluster: '' }) });

/** Answers as many at once as a test lets it; nodes of the mesh `unknown` are denied, those of `broken` fail. */
function start() {
  const asked: Wanted[] = [];
  const lines: string[] = [];
  const now = { version: '1', most: Number.POSITIVE_INFINITY, down: false };
  const aside = async (wanted: unknown): Promise<unknown> => {
    const { wants, known } = wanted as Wanted;
    asked.push(wanted as Wanted);
    if (now.down) throw new Error('down');
    const { version, most } = now;
    const answers: Answers = wants.slice(0, most).map(({ proxy, names }) => {
      if (proxy?.mesh === 'broken') return { failed: 'broken' };
      const denies = proxy?.mesh === 'unknown' ? { denies: 'unknown' } : {};
      const resources = names.map((name): Given => {
        if (known.get(name)?.has(version) === true) return { name, version };
        return { name, version, bytes: Buffer.from(`${name} ${version}`), ...denies };
      });
      return { resources, problems: proxy?.mesh === 'unknown' ? ['unknown'] : [] };
    });
    return structuredClone(answers);
  };
  const live = { aside } as unknown as ConstructorParameters<typeof LiveCatalogue>[0];
  const catalogue = new LiveCatalogue(live, (line) => void lines.push(line));
  return { asked, lines, now, catalogue };
}

test('[XDS7] of names and lines that nodes make up no more is kept than may be', async () => {
  const { catalogue, lines } = start();
  const some = Array.from({ length: 1_000 }, (_, n) => `n${n}`);
  for (let n = 0; n < 1_100; n++) await catalogue.render(nodeOf(`unknown/${n}`), n === 0 ? some : []);
  expect(catalogue.kept).toBe(0);
  expect(lines).toHaveLength(1_000);
  catalogue.changed();
  await catalogue.render(nodeOf('unknown/0'), []);
  expect(lines).toHaveLength(1_001);
});

test('[XDS11] nodes that ask at once are asked for at once, and bytes that are known are not asked for again', async () => {
  const { catalogue, asked } = start();
  const nodes = Array.from({ length: 100 }, (_, n) => nodeOf(`m/${n}`));
  const first = await Promise.all(nodes.map((node) => catalogue.render(node, ['a'])));
  const later = await Promise.all(nodes.map((node) => catalogue.render(node, ['a', 'b'])));
  expect(asked.map(({ wants }) => wants.length)).toEqual([100, 100]);
  expect(asked[1]?.known).toEqual(new Map([['a', new Set(['1'])]]));
  expect(new Set([...first, ...later].map(([a]) => a)).size).toBe(1);
  const many = Array.from({ length: 600 }, (_, n) => nodeOf(`n/${n}`));
  await Promise.all(many.map((node) => catalogue.render(node, ['a'])));
  expect(asked.slice(2).map(({ wants }) => wants.length)).toEqual([250, 250, 100]);
});

test('[XDS11] who was not answered for want of time is asked for first, and what fails for one is its own', async () => {
  const { catalogue, asked, now } = start();
  now.most = 2;
  const nodes = ['m/0', 'broken/1', 'm/2', 'm/3', 'm/4'].map(nodeOf);
  const outcomes = await Promise.allSettled(nodes.map((node) => catalogue.render(node, ['a'])));
  expect(asked.map(({ wants }) => wants.map(({ proxy }) => proxy?.dataplane))).toEqual([
    ['0', '1', '2', '3', '4'],
    ['2', '3', '4'],
    ['4'],
  ]);
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
  now.down = true;
  await expect(catalogue.render(nodes[0]!, ['a'])).rejects.toThrow('down');
  now.down = false;
  expect(await catalogue.render(nodes[0]!, ['a'])).toMatchObject([{ name: 'a', version: '1' }]);
});

test('[XDS11] a version is kept as long as a node has it', async () => {
  const { catalogue, now } = start();
  const [one, two] = [nodeOf('m/1'), nodeOf('m/2')];
  await Promise.all([one, two].map((node) => catalogue.render(node, ['a'])));
  for (let version = 2; version < 50; version++) {
    now.version = String(version);
    await catalogue.render(one, ['a']);
    // The slow one has the first still.
    expect(catalogue.kept).toBe(2);
  }
  await catalogue.render(two, ['a']);
  expect(catalogue.kept).toBe(1);
  catalogue.left(one);
  expect(catalogue.kept).toBe(1);
  const late = catalogue.render(two, ['a', 'b']);
  catalogue.left(two);
  expect(await late).toHaveLength(2);
  expect(catalogue.kept).toBe(0);
});
