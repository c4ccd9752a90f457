import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packing, installing and running the package as a user would, away from this repository. */

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Tarball {
  readonly file: string;
  readonly entries: readonly string[];
  readonly size: number;
}

/** npm hands its settings down to scripts; what runs below npm must not inherit those of the repository. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}

/** What it prints; where it fails, all that it said on either stream. */
export function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: cleanEnvironment(),
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

export function pack(into: string): Tarball {
  const json = run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', into], root);
  // What the prepack script prints comes before the JSON.
  const answer: unknown = JSON.parse(json.slice(json.search(/^[[{]/m)));
  const [packed] = Object.values(
    answer as Record<string, { filename: string; size: number; files: { path: string }[] }>,
  );
  if (packed === undefined) throw new Error(`npm pack says: ${json}`);
  return {
    file: join(into, packed.filename),
    entries: packed.files.map((entry) => entry.path),
    size: packed.size,
  };
}

/** An empty project that depends on nothing but what is given. */
export function install(folder: string, ...packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...packages],
    folder,
  );
}

export function bytesUnder(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Compiles a program against the installed types, with the library check on, and runs what comes out. */
export function compileAndRun(folder: string, program: string, node: string): string {
  cpSync(join(root, 'test/release/fixtures/consumer/tsconfig.json'), join(folder, 'tsconfig.json'));
  writeFileSync(
    join(folder, 'main.ts'),
    `declare const console: { log(...things: unknown[]): void };\n${program}`,
  );
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], folder);
  return run(node, [join(folder, 'out/main.js')], folder);
}
