import { expect, test } from 'vitest';
import { LiveCatalogue } from '../../../src/cli/serve/catalogue.ts';
import type { Made, Wanted } from '../../../src/cli/serve/rendering.ts';

test('[XDS7] of names and lines that nodes make up no more is kept than may be', async () => {
  const wanted: Wanted[] = [];
  const lines: string[] = [];
  const aside = async (asked: unknown): Promise<Made> => {
    const { names, known } = asked as Wanted;
    wanted.push(asked as Wanted);
    const resources = names.map((name) => ({
      name,
      version: '1',
      ...(known[name]?.includes('1') === true ? {} : { bytes: Buffer.from(name) }),
    }));
    return { resources, problems: ['unknown'] };
  };
  const live = { aside } as unknown as ConstructorParameters<typeof LiveCatalogue>[0];
  const catalogue = new LiveCatalogue(live, (line) => void lines.push(line));
  const render = (id: string, names: readonly string[]) =>
    catalogue.render({ id, cluster: '', metadata: {} }, names);
  const some = (from: number) => Array.from({ length: 1_000 }, (_, n) => `n${from + n}`);
  const [first] = await render('a', ['first']);
  expect(await render('a', ['first'])).toEqual([first]);
  for (let round = 0; round < 10; round++) await render('a', some(round * 1_000));
  expect((await render('a', ['first', 'n9999'])).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
    'first',
    'n9999',
  ]);
  expect(wanted.at(-1)?.known).toEqual({ first: [], n9999: ['1'] });
  for (let n = 0; n < 1_100; n++) await render(`node-${n}`, []);
  expect(lines).toHaveLength(1_000);
  catalogue.changed();
  await render('a', []);
  expect(lines).toHaveLength(1_001);
});
