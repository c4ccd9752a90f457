import { describe, expect, test } from 'vitest';
import { LastGood, type Taken } from '../../../src/gateway/live/last-good.ts';
import { policy, unit } from './documents.ts';

const names = ({ set }: Taken) => set?.loaded.policies.map(({ name }) => name).sort();
const effects = ({ set }: Taken) =>
  set?.loaded.rules.map(({ origin }) => `${origin.policy} ${origin.effect}`).sort();
const messages = ({ problems }: Taken) => problems.map(({ message, place }) => `${place?.file}: ${message}`);

const broken = 'type: AccessPolicy\nname: [';
const [a, b] = [unit('a.yaml', policy('a')), unit('b.yaml', policy('b'))];

function started(): LastGood {
  const good = new LastGood();
  expect(good.take([a, b]).outcome).toBe('taken');
  return good;
}

describe('what was good', () => {
  test('[LIVE3] a file that does not parse keeps its last good version, and the others go on', () => {
    const good = started();
    const taken = good.take([unit('a.yaml', broken), unit('b.yaml', policy('b', 'deny'))]);
    expect([taken.outcome, effects(taken)]).toEqual(['partly', ['a allow', 'b deny']]);
    expect(messages(taken)).toEqual([expect.stringMatching(/^a\.yaml: /)]);
  });

  test('[LIVE3] so does one whose document is wrong, and the problem is told as long as it is there', () => {
    const good = started();
    const units = [unit('a.yaml', policy('a', 'forbid')), b];
    const taken = good.take(units);
    expect([taken.outcome, effects(taken)]).toEqual(['partly', ['a allow', 'b allow']]);
    const again = good.take(units);
    expect([again.outcome, messages(again)]).toEqual(['same', messages(taken)]);
    expect(messages(taken)).toHaveLength(1);
    const mended = good.take([unit('a.yaml', policy('a', 'deny')), b]);
    expect([mended.outcome, effects(mended), mended.problems]).toEqual(['taken', ['a deny', 'b allow'], []]);
  });

  test('[LIVE3] a new file that is broken does not count, a file that went is gone', () => {
    const good = started();
    const more = good.take([a, b, unit('c.yaml', policy('c', 'forbid'))]);
    expect([more.outcome, names(more)]).toEqual(['partly', ['a', 'b']]);
    const less = good.take([a, unit('c.yaml', policy('c', 'forbid'))]);
    expect([less.outcome, names(less)]).toEqual(['partly', ['a']]);
  });

  test('[LIVE3] several broken files are found in as many rounds as it takes', () => {
    const good = started();
    const taken = good.take([
      unit('a.yaml', broken),
      unit('b.yaml', policy('b', 'forbid')),
      unit('c.yaml', policy('c')),
    ]);
    expect([taken.outcome, effects(taken)]).toEqual(['partly', ['a allow', 'b allow', 'c allow']]);
    expect(messages(taken)).toHaveLength(2);
  });

  test('[LIVE3] [DOC4] one that is broken anyway takes no name from another', () => {
    const good = started();
    const taken = good.take([a, unit('b.yaml', policy('b', 'deny')), unit('c.yaml', policy('a', 'forbid'))]);
    expect([taken.outcome, effects(taken)]).toEqual(['partly', ['a allow', 'b deny']]);
    expect(messages(taken)).toEqual([
      expect.stringMatching(/^c\.yaml: got a second/),
      expect.stringMatching(/^c\.yaml: got "forbid"/),
    ]);
  });

  test('[LIVE4] what is wrong between documents keeps the whole set', () => {
    const good = started();
    const twice = good.take([a, unit('b.yaml', policy('b', 'deny')), unit('c.yaml', policy('a', 'deny'))]);
    expect([twice.outcome, twice.set]).toEqual(['held', undefined]);
    expect(messages(twice)).toEqual([expect.stringMatching(/^c\.yaml: .*/)]);
    const after = good.take([a, unit('b.yaml', policy('b', 'deny'))]);
    expect([after.outcome, effects(after)]).toEqual(['taken', ['a allow', 'b deny']]);
  });

  test('[LIVE6] a file that is renamed and spoilt at once goes on under its old name, until that is mended', () => {
    const good = new LastGood();
    const deny = unit('a.yaml', policy('a', 'deny'));
    good.take([deny, b]);
    const renamed = good.take([b, unit('z.yaml', policy('a', 'forbid'))]);
    expect([renamed.outcome, effects(renamed)]).toEqual(['partly', ['a deny', 'b allow']]);
    const later = good.take([unit('b.yaml', policy('b', 'deny')), unit('z.yaml', policy('a', 'forbid'))]);
    expect(effects(later)).toEqual(['a deny', 'b deny']);
    const mended = good.take([b, unit('z.yaml', policy('a', 'allow'))]);
    expect([mended.outcome, effects(mended)]).toEqual(['taken', ['a allow', 'b allow']]);
  });

  test('[LIVE6] what went before, or goes after, the broken one came is gone', () => {
    const good = started();
    good.take([a, b, unit('z.yaml', broken)]);
    const taken = good.take([a, unit('z.yaml', broken)]);
    expect([taken.outcome, names(taken)]).toEqual(['partly', ['a']]);
  });

  test('[LIVE7] at the beginning nothing counts as long as anything is wrong, and all of it is told', () => {
    const good = new LastGood();
    const refused = good.take([a, unit('b.yaml', broken), unit('c.yaml', policy('c', 'forbid'))]);
    expect([refused.outcome, refused.set]).toEqual(['refused', undefined]);
    expect(
      messages(refused)
        .map((text) => text.slice(0, 6))
        .sort(),
    ).toEqual(['b.yaml', 'c.yaml']);
    expect(good.take([a, b]).outcome).toBe('taken');
  });
});
