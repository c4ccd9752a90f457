import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../src/gateway/openapi/operations.ts';
import { live, needs } from '../../live.ts';
import { schemathesis } from '../../support/schemathesis/venv.ts';

/** The program itself, with policies that the examples of the reference are about. */

const main = join(import.meta.dirname, '../../../src/cli/main.ts');
const policies = join(import.meta.dirname, 'fixtures');
const missing = needs([schemathesis]);

let service: ReturnType<typeof spawn>;
let url: string;
beforeAll(async () => {
  service = spawn(process.execPath, [main, 'serve', '--policies', policies, '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  url = await new Promise<string>((resolve, reject) => {
    service.once('exit', (code) => reject(new Error(`placet serve ended with ${code}: ${said}`)));
    service.stdout?.on('data', (chunk) => {
      said += String(chunk);
      const listening = /listens on (\S+)/.exec(said)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  });
});
afterAll(async () => {
  if (service.exitCode !== null) return;
  service.kill('SIGKILL');
  await once(service, 'exit');
});

describe('a running service', () => {
  test('[API3] answers every example of the document', async () => {
    for (const { method, path, parameters = {}, body } of operations) {
      // No fetch sends it.
      if (method === 'trace') continue;
      const at = path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name]?.example ?? name);
      const inHead = Object.entries(parameters).filter(([, one]) => one.in === 'header');
      const head = Object.fromEntries(inHead.map(([name, { example = '' }]) => [name, example]));
      const bodies = body === undefined ? [undefined] : Object.values(body.examples);
      for (const example of bodies) {
        const response = await fetch(url + at, {
          method: method.toUpperCase(),
          headers: { ...head, ...(example === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(example === undefined ? {} : { body: JSON.stringify(example) }),
        });
        expect([at, response.status, response.ok ? '' : await response.text()]).toEqual([at, 200, '']);
      }
    }
  });

  live(
    missing,
    '[API4] schemathesis finds nothing that is not as the document says',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'placet-schemathesis-'));
      // What is valid by its schema may yet be refused: a token of another search, a control character.
      const checks = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance'];
      const bounds = ['--max-examples', '15', '--workers', '1', '--seed', '7', '--warnings', 'off'];
      const args = ['run', `${url}/openapi.json`, ...checks, ...bounds, '--no-color'];
      const program = spawn(schemathesis.path(), args, { cwd: folder });
      let said = '';
      for (const stream of [program.stdout, program.stderr])
        stream.on('data', (chunk) => {
          said += String(chunk);
        });
      const [code] = await once(program, 'close');
      rmSync(folder, { recursive: true, force: true });
      expect(code === 0 ? '' : said.slice(-8_000)).toBe('');
      const tested = /Tested:\s+(\d+)/.exec(said)?.[1];
      const cases = Number(/(\d+) generated/.exec(said)?.[1]);
      console.log(`schemathesis: ${tested} operations, ${cases} requests`);
      // All but the one that it has read itself.
      expect(Number(tested)).toBe(operations.length - 1);
      expect(cases).toBeGreaterThan(1_000);
    },
    240_000,
  );
});
