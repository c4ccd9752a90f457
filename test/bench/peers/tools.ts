import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Peers that are no npm packages come from the Go module proxy, once, into the user's cache. */
const opaVersion = 'v1.22.0';
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'placet-bench');

export function opaBinary(): string {
  const folder = join(cache, `opa-${opaVersion}`);
  const binary = join(folder, 'opa');
  if (!existsSync(binary)) {
    process.stderr.write(`installing opa ${opaVersion} from the Go module proxy, one to three minutes\n`);
    mkdirSync(folder, { recursive: true });
    run('go', ['install', `github.com/open-policy-agent/opa@${opaVersion}`], { GOBIN: folder });
  }
  return binary;
}

/** The small program over OPA's library; Go itself sees whether it is up to date. */
export function opaGoBinary(): string {
  const binary = join(cache, 'opa-go');
  if (!existsSync(binary)) process.stderr.write('building the program over the Go library of OPA\n');
  mkdirSync(cache, { recursive: true });
  run('go', ['build', '-o', binary, '.'], {}, join(import.meta.dirname, 'opa-go'));
  return binary;
}

function run(command: string, args: string[], env: Record<string, string>, cwd?: string): void {
  execFileSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
}
