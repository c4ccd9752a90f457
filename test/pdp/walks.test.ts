import { expect, test } from 'vitest';
import { matchTrie, type SymbolSink, TrieBuilder } from '../../src/pdp/index/trie.ts';
import { Walks } from '../../src/pdp/index/walks.ts';
import { Random } from '../oracle/random.ts';

function sink(): SymbolSink {
  return { codes: new Int32Array(64), end: 0, visited: 0 };
}

test('[OP1] what was found for a value before is found for it again, and for no other', () => {
  const random = new Random(11);
  const builder = new TrieBuilder();
  const segment = () => random.pick(['eu', 'us', 'nl', 'zone-1', 'zone-2', 'rack', 'r']);
  const place = (most: number) => Array.from({ length: 1 + random.below(most) }, segment).join('/');
  const roots = [3, 40].map((count) => {
    const texts = [...new Set(Array.from({ length: count }, () => place(3)))];
    return builder.add(texts.map((text, symbol) => ({ text, under: symbol % 2 === 0, symbol }))).root;
  });
  // More patterns hold for it than are kept, and it is longer than what is.
  const deep = Array.from({ length: 40 }, (_, i) => 'a'.repeat(i + 1));
  roots.push(builder.add(deep.map((text, symbol) => ({ text, under: false, symbol }))).root);
  // Its values stand where those of the first do.
  for (let filler = 0; filler < 4_096; filler++) {
    const eu = { text: 'eu', under: true, symbol: 50 };
    const { root } = builder.add(filler % 3 === 0 ? [eu, { ...eu, text: 'us' }] : [eu]);
    if ((root ^ roots[0]!) % 512 !== 0 || root === roots[0]) continue;
    roots.push(root);
    break;
  }
  expect(roots).toHaveLength(4);
  const trie = builder.build();
  const walks = new Walks(trie);
  let again = 0;
  for (let i = 0; i < 20_000; i++) {
    const root = random.pick(roots);
    const value = random.chance(0.1) ? 'a'.repeat(random.below(100)) : place(6);
    const [wanted, found] = [sink(), sink()];
    matchTrie(trie, root, value, wanted);
    walks.walk(root, value, found);
    expect([value, [...found.codes]]).toEqual([value, [...wanted.codes]]);
    expect(found.end).toBe(wanted.end);
    if (found.visited === 0) again++;
  }
  expect(again).toBeGreaterThan(2_000);
});
