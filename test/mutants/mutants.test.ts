import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';
import { planted } from './plant.ts';

test('there are enough mistakes to plant, each with a name of its own', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(20);
  expect(new Set(mutants.map((mutant) => mutant.name)).size).toBe(mutants.length);
});

test.each(mutants)('$name: its snippet is still in $file', (mutant) => {
  expect(() => planted(mutant)).not.toThrow();
});
