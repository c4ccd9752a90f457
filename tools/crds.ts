import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crdFiles } from './crds-files.ts';
import { rbacFile } from './rbac-file.ts';

/** Writes `deploy/crds` and `deploy/rbac.yaml`; a test fails where what lies there is not what this writes. */
const folder = join(import.meta.dirname, '..', 'deploy', 'crds');
const files = crdFiles();

for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.yaml') && !files.has(file)) rmSync(join(folder, file));
for (const [file, text] of files) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
writeFileSync(join(folder, '..', 'rbac.yaml'), rbacFile());
console.log(`${files.size} files in deploy/crds, and deploy/rbac.yaml`);
