import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, fixtures, loadText, loadValues, violationsIn } from './loading.ts';

/** Every way to be wrong, with its exact words and place. `npx vitest run -u` writes them anew. */
test.each([
  ['[DOC2] [DOC9] [DOC10] what a document says of itself', 'envelope'],
  ['[MTP4] [MTP5] [PATH4] [ID4] matchers', 'matchers'],
  ['[MTP2] [MTP7] targets', 'targets'],
  ['[TAG1] [TAG2] items by tags', 'tag-form'],
  ['[AP1] [AP2] [AP4] [DOC3] access policies', 'access-policy'],
  ['[DOC3] meshes, dataplanes, services, workloads, sites', 'things'],
  ['[DOC4] [MTP10] [DOC11] documents that are wrong together', 'sets'],
  ['[DOC11] several sites, none of them local', 'sites'],
  ['[XCH3] peers', 'peers'],
  ['[XCH3] peers that are wrong together', 'peers-together'],
])('%s', async (_title, name) => {
  const loaded = loadText(fixture(`bad/${name}.yaml`), `${name}.yaml`);
  const lines = `${violationsIn(loaded).join('\n')}\n`;
  await expect(lines).toMatchFileSnapshot(join(fixtures, 'bad', `${name}.golden.txt`));
});

test('[DOC5] a document with a violation lowers to nothing, the others load', () => {
  const bad = {
    type: 'MeshTrafficPermission',
    name: 'bad',
    default: { deny: [{}], allow: [{ method: 'GET' }] },
  };
  const good = { type: 'MeshTrafficPermission', name: 'good', default: { allow: [{ method: 'GET' }] } };
  const loaded = loadValues(bad, good);
  expect(violationsIn(loaded)).toHaveLength(1);
  expect(loaded.rules.map((rule) => rule.id)).toEqual(['kri_mtp_default___good_#allow/0']);
  expect(loaded.policies.map((policy) => policy.name)).toEqual(['good']);
});

test('[DOC2] what is to be quoted is what was written, not what it was read as', () => {
  for (const written of ['0o17', '0x1F', '1.10', '1e3', 'True']) {
    const label = `{type: Mesh, name: m, labels: {version: ${written}}}`;
    expect(violationsIn(loadText(label))[0]).toMatch(/want a string \(put it in quotes\)$/);
    const value = `{type: Service, name: s, attributes: {a: ${written}}}`;
    expect(violationsIn(loadText(value))[0]).toMatch(/want a string \(put it in quotes\)$/);
  }
  expect(violationsIn(loadText('{type: Mesh, name: 0o17}'))[0]).toMatch(/ \(put it in quotes\)$/);
});
