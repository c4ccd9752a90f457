import { describe, expect, test } from 'vitest';
import { Recent } from '../../../src/cli/serve/recent.ts';

function filled(most: number, mostText: number | undefined, keys: readonly string[]): Recent<string, string> {
  const recent = new Recent<string, string>(most, mostText);
  for (const key of keys) recent.set(key, `value of ${key}`);
  return recent;
}

const keys = Array.from({ length: 100 }, (_, i) => `key-${String(i).padStart(2, '0')}`);

describe('what was asked for not long ago', () => {
  test('[SVC3] the last so many are kept, and never more than twice as many', () => {
    for (let count = 1; count <= keys.length; count++) {
      const recent = filled(10, undefined, keys.slice(0, count));
      for (const key of keys.slice(Math.max(0, count - 10), count))
        expect(recent.get(key)).toBe(`value of ${key}`);
      expect(recent.size).toBeLessThanOrEqual(20);
    }
  });

  test('[SVC3] what is asked for again and again stays', () => {
    const recent = new Recent<string, string>(10);
    recent.set('often', 'here');
    for (const key of keys) {
      recent.set(key, key);
      expect(recent.get('often')).toBe('here');
    }
  });

  test('[SVC3] of so much text in keys, and nothing of what alone is too much', () => {
    const recent = filled(1_000, 120, keys);
    expect(recent.size * 6).toBeLessThanOrEqual(120);
    expect(recent.get(keys.at(-1)!)).toBeDefined();
    recent.set('x'.repeat(61), 'too long');
    expect(recent.get('x'.repeat(61))).toBeUndefined();
    expect(recent.get(keys.at(-1)!)).toBeDefined();
  });

  test('[SVC3] a value is the last that was set, wherever the one before is', () => {
    const recent = filled(10, undefined, keys.slice(0, 15));
    recent.set(keys[3]!, 'another');
    expect(recent.get(keys[3]!)).toBe('another');
    recent.delete(keys[3]!);
    expect(recent.get(keys[3]!)).toBeUndefined();
    recent.delete(keys[14]!);
    expect(recent.get(keys[14]!)).toBeUndefined();
  });
});
