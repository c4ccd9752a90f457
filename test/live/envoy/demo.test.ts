import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { live } from '../../live.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { canConnect } from '../service/process.ts';

/** `npm run demo:envoy`, as somebody sees it who runs it. */

const root = join(import.meta.dirname, '../../..');
const demo = (...args: string[]) =>
  spawn(process.execPath, ['tools/demo-envoy/main.ts', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

live(
  envoyMissing,
  '[ENV15] [ENV16] the demo shows what is allowed, denied and denied in the shadow',
  async () => {
    const child = demo();
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(err).toBe('');
    expect(out).toContain('12 requests, 0 decided otherwise than by the PDP\n');
    const lines = out.split('\n').filter((line) => /^ {2}(?:allow|deny)/.test(line));
    expect(lines.map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
      'allow web GET /orders/7 by orders',
      'allow web POST /orders?dry-run by orders',
      'deny web GET /admin by no-admin',
      'deny web GET //x/%2e%2e/admin by no-admin',
      'deny web GET /admin%2fusers by ambiguous-path',
      'allow prometheus GET /metrics/cpu by metrics',
      'deny prometheus GET /orders/7 by default',
      'deny lookalike GET /metrics by default',
      'allow batch GET /orders/7 by orders, in the shadow deny',
      'deny two names GET /orders/7 by invalid-source',
      'deny stranger GET /orders/7 by TLS handshake',
      'deny nobody GET /orders/7 by TLS handshake',
    ]);
  },
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  live(envoyMissing, `the demo stays until ${signal} and leaves nothing behind`, async () => {
    const child = demo('--stay');
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    let out = '';
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        out += part;
        if (/https:\/\/.*\n/.test(out)) resolve();
      });
    });
    const [, folder = '', port = ''] =
      /--cert (\S+)\/web\.pem .*https:\/\/127\.0\.0\.1:(\d+)\//.exec(out) ?? [];
    expect([existsSync(join(folder, 'web.pem')), await canConnect(Number(port))]).toEqual([true, true]);
    child.kill(signal);
    expect(await closed).toBe(0);
    expect([existsSync(folder), await canConnect(Number(port))]).toEqual([false, false]);
  });
}
