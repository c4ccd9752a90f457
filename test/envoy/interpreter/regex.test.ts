import { describe, expect, test } from 'vitest';
import { wholeMatch } from '../../../src/envoy/interpreter/regex/regex.ts';
import { RegexFault } from '../../../src/envoy/interpreter/regex/syntax.ts';
import { Random } from '../../oracle/random.ts';

const matches = (pattern: string, text: string) => wholeMatch(pattern, Number.POSITIVE_INFINITY)(text);

function fault(pattern: string): string {
  try {
    wholeMatch(pattern, Number.POSITIVE_INFINITY);
    return 'none';
  } catch (error) {
    if (!(error instanceof RegexFault)) throw error;
    return error.ours ? 'ours' : 're2';
  }
}

/** Patterns that mean the same to JavaScript, whose engine is the twin. */
function pattern(random: Random, depth: number): string {
  const roll = random.below(depth > 0 ? 9 : 4);
  if (roll === 0) return random.pick(['a', 'b', '\\.', '/', ',']);
  if (roll === 1)
    return random.pick(['[a-c]', '[^a]', '[\\w.-]', '\\d', '\\W', '[/,]', '[]a]'.replace(']a', 'a')]);
  if (roll === 2) return '.';
  if (roll === 3) return random.pick(['ab', '/a', '']);
  if (roll === 4) return `(${pattern(random, depth - 1)}|${pattern(random, depth - 1)})`;
  if (roll === 5)
    return `(?:${pattern(random, depth - 1)})${random.pick(['*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'])}`;
  if (roll === 6) return `^${pattern(random, depth - 1)}`;
  if (roll === 7) return `${pattern(random, depth - 1)}$`;
  return pattern(random, depth - 1) + pattern(random, depth - 1);
}

describe('regular expressions', () => {
  test('[VER8] the whole text must match, . is no line break, classes are ASCII', () => {
    expect(matches('a', 'ab')).toBe(false);
    expect(matches('.*', 'a\nb')).toBe(false);
    expect(matches('.*', 'a\u2028b')).toBe(true);
    expect(matches('[^a]', '\n')).toBe(true);
    expect(matches('\\s', '\v')).toBe(false);
    expect(matches('\\w', 'ä')).toBe(false);
    expect(matches('.', '\u{1f600}')).toBe(true);
    expect(matches('a|', '')).toBe(true);
    expect(matches('[]a]+', 'a]')).toBe(true);
    expect(matches('[a-c-e]+', 'b-e')).toBe(true);
    expect(matches('[a-c-e]+', 'd')).toBe(false);
    expect(matches('[\\D]', 'x')).toBe(true);
    expect(matches('[^\\D]', 'x')).toBe(false);
  });

  test('[VER8] what RE2 refuses is refused as its own, the rest of its syntax as not evaluated', () => {
    for (const bad of [
      'a**',
      '*a',
      'a)',
      '(a',
      '[b-a]',
      '[a',
      'a\\',
      'a{2000}',
      '(?:a{40}){40}',
      'a{2}{3}',
      'a{3,2}',
    ]) {
      expect([bad, fault(bad)]).toEqual([bad, 're2']);
    }
    for (const other of [
      '\\bx',
      '\\pL',
      '(?i)a',
      '(?P<n>a)',
      '[[:alpha:]]',
      '\\Qa\\E',
      'a{',
      '{',
      '^*',
      '(?=a)',
      '\\1',
    ]) {
      expect([other, fault(other)]).toEqual([other, 'ours']);
    }
    expect(fault('(?:a{20}){40}')).toBe('none');
    expect(fault(`${'('.repeat(300)}a${')'.repeat(300)}`)).toBe('ours');
    expect(fault('(?:(?:[a-z]{1000}){1}[a-z]{1000}){1}'.repeat(11))).toBe('ours');
  });

  test('[VER8] patterns that make other engines slow are quick', () => {
    const slow = wholeMatch('(a*)*(a|aa)+b', Number.POSITIVE_INFINITY);
    const before = performance.now();
    expect(slow('a'.repeat(2_000))).toBe(false);
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  test('[VER8] agrees with its twin on random patterns and texts', () => {
    const random = new Random(40);
    let matched = 0;
    for (let i = 0; i < 4_000; i++) {
      const source = pattern(random, 4);
      let ours: (text: string) => boolean;
      try {
        ours = wholeMatch(source, Number.POSITIVE_INFINITY);
      } catch (error) {
        // A repeated anchor, or repeats in a row, which generation does not avoid.
        if (error instanceof RegexFault) continue;
        throw error;
      }
      const twin = new RegExp(`^(?:${source})$`);
      for (let j = 0; j < 12; j++) {
        const text = Array.from({ length: random.below(7) }, () =>
          random.pick(['a', 'b', 'c', '.', '/', ',', '1']),
        ).join('');
        const want = twin.test(text);
        if (want) matched++;
        expect([source, text, ours(text)]).toEqual([source, text, want]);
      }
    }
    expect(matched).toBeGreaterThan(4_000);
  });
});
