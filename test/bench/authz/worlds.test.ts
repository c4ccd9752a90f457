import { expect, test } from 'vitest';
import { both } from '../../envoy/export/world.ts';
import { type WorldName, worlds } from './worlds.ts';

const request = { method: 'GET', path: '/items/1' };

test.each<WorldName>(['S', 'A'])(
  '%s: documents say what the rules are asked about, and clients are let in as they say',
  async (name) => {
    const world = await worlds[name](2_000, 100, 8);
    const { engine } = both(...world.documents);
    const decide = (spiffeId: string, destination: object, path: string) =>
      engine.decide({ source: { spiffeId, complete: false }, destination, request: { ...request, path } })
        .decision === 'allow';
    const wrong = world.questions.filter(
      ({ spiffeId, destination, path, allowed }) => decide(spiffeId, destination, path) !== allowed,
    );
    expect(wrong).toEqual([]);
    const share = world.questions.filter(({ allowed }) => allowed).length / world.questions.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.15);
    const { destination, ids } = world.friends;
    expect(new Set(ids).size).toBe(8);
    expect(ids.filter((id) => !decide(id, destination, '/items/1'))).toEqual([]);
    expect(ids.some((id) => decide(id.replace('/ns/', '/ns/x'), destination, '/items/1'))).toBe(false);
  },
);
