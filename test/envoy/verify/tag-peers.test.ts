import { expect, test } from 'vitest';
import { nothingMentioned } from '../../../src/envoy/verify/mentioned.ts';
import { tagPeers } from '../../../src/envoy/verify/tag-peers.ts';
import { both } from '../export/world.ts';
import { documents } from './tag-world.ts';

const { inventory } = both(...documents).loaded;

const urisFor = (mentioned: Partial<ReturnType<typeof nothingMentioned>>) =>
  new Set(
    tagPeers('tags', { ...nothingMentioned(), ...mentioned }, inventory).flatMap(({ uriSans }) => uriSans),
  );

test('[VER10] tags whose names have to be encoded are tried too', () => {
  const values = new Set(['x/y']);
  expect(urisFor({ attributes: new Map([['kuma:tag:my team', values]]) })).toContain(
    'kuma://my%20team/x%2Fy',
  );
  // Filters mention them as they are written in certificates.
  expect(urisFor({ ids: new Set(['kuma://my%20team/x%2Fy']) })).toContain('kuma://my%20team/other');
});
