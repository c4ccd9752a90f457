import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Programs in Go that nobody ships ready-made: what they are built of, pinned. */
export interface Recipe {
  readonly name: string;
  /** A folder with the go.mod and go.sum that pin everything that goes into it. */
  readonly module: string;
  /** Names of binaries, and the package that each is built of. */
  readonly binaries: Readonly<Record<string, string>>;
  readonly ldflags: string;
  readonly cgo?: boolean;
}

/** Why a program cannot be had, in words. */
export class ProgramUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProgramUnavailable';
  }
}

/** Where its binaries are kept: what they are made of and with is in the name, so that they are never out of date. */
export function cacheFolder(recipe: Recipe): string {
  const { name, module, ...made } = recipe;
  const hash = createHash('sha256').update(`${name} ${JSON.stringify(made)} ${goOf(recipe)}`);
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(module, file)));
  const given = process.env['XDG_CACHE_HOME'];
  const base = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.cache');
  return join(base, 'placet', 'programs', `${name}-${hash.digest('hex').slice(0, 16)}`);
}

/** Go's version and target. Asked in the module's folder it also says whether it is new enough, or becomes so. */
function goOf({ name, module }: Recipe): string {
  try {
    const asked = ['env', 'GOVERSION', 'GOOS', 'GOARCH'];
    return execFileSync('go', asked, { cwd: module, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string };
    const why = code === 'ENOENT' ? 'there is no go on the PATH' : (stderr?.trim() ?? String(error));
    throw new ProgramUnavailable(`${name} is built with Go: ${why} (https://go.dev/dl has a newer one)`);
  }
}
