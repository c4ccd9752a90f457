import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedKinds } from '../src/policy/files.ts';
import { descriptionsIn } from '../src/policy/kinds/descriptions.ts';
import { publishedSchemas } from '../src/policy/kinds/publish.ts';

/** Writes `policies/schema`; a test fails where what lies there is not what this writes. */
const folder = join(import.meta.dirname, '..', 'policies', 'schema');
const schemas = publishedSchemas([...descriptionsIn(shippedKinds(), []).values()]);

mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder)) if (!schemas.has(file)) rmSync(join(folder, file));
for (const [file, schema] of schemas)
  writeFileSync(join(folder, file), `${JSON.stringify(schema, null, 2)}\n`);
console.log(`${schemas.size} schemas in policies/schema`);
