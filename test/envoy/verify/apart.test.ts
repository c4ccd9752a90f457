import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { filesUnder, readModule, readSources } from '../../rules/modules.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What the files of a folder import from outside of it, types included. */
function importsOf(folder: string): string[] {
  const files = filesUnder(root, folder, /\.ts$/);
  const found = new Set<string>();
  for (const [file, text] of readSources(root, files)) {
    for (const { target } of readModule(file, text).imports) {
      const path = target?.startsWith('.') ? normalize(join(file, '..', target)) : String(target);
      if (!path.startsWith(`${folder}/`)) found.add(path);
    }
  }
  return [...found].sort();
}

test('[VER1] the interpreter knows neither the exporter nor the core, and verify decides nothing by itself', () => {
  expect(importsOf('src/envoy/interpreter')).toEqual(['src/pdp/model/violation.ts']);
  // A hash decides nothing.
  const verify = importsOf('src/envoy/verify').filter((path) => path !== 'node:crypto');
  expect(
    verify.filter((path) => !path.startsWith('src/pdp/model/') && !path.startsWith('src/envoy/interpreter/')),
  ).toEqual([]);
  expect(verify.length).toBeGreaterThan(5);
});
