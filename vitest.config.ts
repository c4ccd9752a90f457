import { defineConfig } from 'vitest/config';

const ci = process.env['CI'] === 'true';

export default defineConfig({
  test: {
    // A test that only runs through says nothing (CONTRIBUTING.md).
    expect: { requireAssertions: true },
    include: ['test/**/*.test.ts'],
    globalSetup: ['tools/generate.ts', 'test/support/programs/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 2,
    // The continuous build counts from the file; people read the other.
    reporters: ci ? ['default', ['json', { outputFile: '.cache/test.json' }]] : ['default'],
  },
});
