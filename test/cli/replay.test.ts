import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { lineOf } from '../../src/gateway/log/line.ts';
import { open, readPaths } from '../../src/index.ts';
import { channelOf, type Request } from '../../src/pdp/model/request.ts';
import { run } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'placet-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

const policies = 'policies/30-privileged';
const engine = open([...readPaths([policies]).documents]);
const channel = channelOf('assert');

function line(request: Request, more: object = {}): string {
  const decision = engine.decide(request);
  const event = {
    id: 'a-1',
    via: 'decide',
    caller: 'test',
    request,
    channel,
    decision,
    milliseconds: 0.01,
    ...more,
  };
  return lineOf(event, undefined, { request: JSON.stringify(request), masked: [] }, Date.UTC(2026, 0, 2));
}

const request: Request = {
  source: { attributes: { 'k8s:ns': 'web', 'site:environment': 'production' }, complete: true },
  destination: { service: 'tiers/api' },
};

async function replayed(lines: readonly string[], ...flags: string[]) {
  const log = join(folder, 'decisions.log');
  writeFileSync(log, lines.map((one) => `${one}\n`).join(''));
  return await run(['replay', log, '--policies', policies, ...flags]);
}

describe('replay', () => {
  test('[LOG7] what comes out as it was is counted', async () => {
    const { code, out } = await replayed([line(request), line(request)]);
    expect([out, code]).toEqual(['2 lines: 2 the same, 0 different\n', 0]);
  });

  test('[LOG7] what comes out otherwise is named: verdict, shadow and rule', async () => {
    const written = JSON.parse(line(request)) as Record<string, unknown>;
    const otherwise = [
      { decision: 'deny', by: null, reason: 'default' },
      { shadow: 'deny' },
      { shadowBy: null },
      { by: { ...(written['by'] as object), index: 7 } },
    ].map((change) => JSON.stringify({ ...written, ...change }));
    const { code, out } = await replayed([...otherwise, line(request)], '--json');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({
      id: 'a-1',
      was: { decision: 'deny', reason: 'default' },
      now: { decision: 'allow', by: { policy: 'clients' } },
    });
    expect(lines[4]).toMatchObject({ lines: 5, same: 1, different: 4 });
    expect(code).toBe(1);
    const shown = await replayed([otherwise[0] as string]);
    expect(shown.out).toBe(
      '2026-01-02T00:00:00.000Z a-1\n  was deny, no rule matched; shadow allow\n  now allow, by clients#allow/0\n1 line: 0 the same, 1 different\n',
    );
  });

  test('[LOG7] what was masked, refused beforehand or is no line is not decided', async () => {
    const written = JSON.parse(line(request)) as object;
    const { code, out } = await replayed([
      JSON.stringify({ ...written, decision: 'deny', masked: ['k8s:ns'] }),
      JSON.stringify({ ...written, decision: 'deny', refused: true }),
      'no line',
      JSON.stringify({ ...written, channel: { identity: 'absolute' } }),
    ]);
    expect(out).toBe(
      '4 lines: 0 the same, 0 different, 1 masked, 1 refused before policies were asked, 2 that are no lines of a decision log\n',
    );
    expect(code).toBe(1);
  });

  test('[LOG7] lines of other policies say what would be otherwise now', async () => {
    const { out } = await replayed([JSON.stringify({ ...JSON.parse(line(request)), snapshot: 'other' })]);
    expect(out).toBe('1 line: 1 the same, 0 different, 1 decided with other policies\n');
  });

  test('[LOG7] each line is decided by the set of its snapshot, where that is among those given', async () => {
    const older = 'policies/12-prefixes';
    const before = open([...readPaths([older]).documents]);
    const denied = line(request, { decision: before.decide(request) });
    expect(JSON.parse(denied)).toMatchObject({ decision: 'deny', snapshot: before.snapshot });
    const alone = await replayed([denied, line(request)]);
    expect(alone.out).toContain('2 lines: 1 the same, 1 different, 1 decided with other policies\n');
    const { out, code } = await replayed([denied, line(request)], '--older', older, 'policies/40-shadow');
    expect([out, code]).toEqual(['2 lines: 2 the same, 0 different\n', 0]);
  });

  test('[LOG7] a log that is not there is said', async () => {
    const { code, err } = await run(['replay', join(folder, 'none'), '--policies', policies]);
    expect(err).toContain('cannot be read: no such file');
    expect(code).toBe(1);
  });
});
