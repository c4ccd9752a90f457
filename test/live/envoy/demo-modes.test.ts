import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { live } from '../../live.ts';
import { envoyMissing } from '../../support/envoy/program.ts';

/** `npm run demo`, as somebody sees it who runs it. */

const root = join(import.meta.dirname, '../../..');

/** Rows of the last table: who, request, PDP, native, ext_authz, xds, by. */
const rowsOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line) && / {2,}/.test(line.trim()))
    .map((line) => line.trim().split(/ {2,}/));

/** Processes that know a folder, but for this one. */
const around = (folder: string) =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });

describe('the demo of three modes', () => {
  live(envoyMissing, '[MODE8] shows one verdict of the PDP and three Envoys, in both worlds', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'demo', '--', '--once'], { cwd: root });
    expect(stdout).toContain('12 requests, 0 decided otherwise than by the PDP\n');
    const allow = Array(4).fill('allow');
    const deny = Array(4).fill('deny');
    const shadow = Array(4).fill('allow, shadow deny');
    const refused = ['deny', ...Array(3).fill('refused')];
    expect(rowsOf(stdout)).toEqual(
      [
        ['web', 'GET /orders/7', allow, 'orders'],
        ['web', 'POST /orders?dry-run', allow, 'orders'],
        ['web', 'GET /admin', deny, 'no-admin'],
        ['web', 'GET //x/%2e%2e/admin', deny, 'no-admin'],
        ['web', 'GET /admin%2fusers', deny, 'ambiguous-path'],
        ['prometheus', 'GET /metrics/cpu', allow, 'metrics'],
        ['prometheus', 'GET /orders/7', deny, 'default'],
        ['lookalike', 'GET /metrics', deny, 'default'],
        ['batch', 'GET /orders/7', shadow, 'orders'],
        ['two names', 'GET /orders/7', deny, 'invalid-source'],
        ['stranger', 'GET /orders/7', refused, 'invalid-source'],
        ['nobody', 'GET /orders/7', refused, 'unidentified'],
      ].map((row) => row.flat()),
    );
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    live(
      envoyMissing,
      `[MODE8] a policy that is edited holds in all, a broken one in none; ${signal} leaves nothing behind`,
      async () => {
        const child = spawn(process.execPath, ['tools/demo/main.ts'], {
          cwd: root,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const ended = once(child, 'exit');
        let out = '';
        const waiting = new Set<() => void>();
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (part: string) => {
            out += part;
            for (const look of waiting) look();
          });
        const said = (pattern: RegExp) =>
          new Promise<RegExpExecArray>((resolve, reject) => {
            const look = (): void => {
              const found = pattern.exec(out);
              if (found === null) return;
              waiting.delete(look);
              resolve(found);
            };
            waiting.add(look);
            look();
            void ended.then(() => reject(new Error(`it ended:\n${out}`)));
          });
        const [, file = ''] = await said(/Edit (\S+) and look/);
        const folder = dirname(dirname(file));
        const text = readFileSync(file, 'utf8');
        out = '';
        writeFileSync(file, text.replace('ns/legacy', 'ns/obs-evil'));
        await said(/12 requests, 2 changed, 0 decided otherwise than by the PDP\n/);
        expect(rowsOf(out).filter(([who]) => who === 'lookalike' || who === 'batch')).toEqual([
          ['lookalike', 'GET /metrics', ...Array(4).fill('allow, shadow deny'), 'orders'],
          ['batch', 'GET /orders/7', ...Array(4).fill('deny'), 'default'],
        ]);
        out = '';
        writeFileSync(file, text.replace('allowWithShadowDeny', 'alow'));
        await said(/12 requests, 0 changed, 0 decided otherwise than by the PDP\n/);
        // The service says so, and so does what keeps the files.
        await said(/alow[\s\S]*alow/);
        await said(/of what is broken the last good version goes on/);
        expect(around(folder).length).toBeGreaterThan(3);
        child.kill(signal);
        expect(await ended).toEqual([0, null]);
        expect([existsSync(folder), around(folder)]).toEqual([false, []]);
      },
    );
});
