import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect } from 'vitest';
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

const childrenOf = (parent: number) =>
  execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/ +/))
    .flatMap(([of, pid]) => (Number(of) === parent ? [Number(pid)] : []));

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

let running: ChildProcess | undefined;
afterEach(() => void running?.kill('SIGTERM'));

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
        running = child;
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
        const all = childrenOf(child.pid ?? 0);
        // The service, what keeps the files, and the Envoys.
        expect(all.length).toBeGreaterThanOrEqual(5);
        child.kill(signal);
        expect(await ended).toEqual([0, null]);
        expect([existsSync(folder), all.filter(isThere)]).toEqual([false, []]);
      },
    );
});
