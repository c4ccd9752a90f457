import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Decision } from '../../src/pdp/model/decision.ts';
import { limits } from '../../src/pdp/model/limits.ts';
import { run } from './world.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'placet-'));
afterAll(() => rmSync(folder, { recursive: true }));

const allowed = {
  source: { attributes: { 'k8s:ns': 'web', 'site:environment': 'production' } },
  destination: { service: 'tiers/api' },
};
const denied = { source: { attributes: { 'k8s:ns': 'reports' } }, destination: { service: 'tiers/api' } };
const policies = ['--policies', 'policies/30-privileged'];

async function decide(input: string | Iterable<string>, ...flags: readonly string[]) {
  const { code, out, err } = await run(['decide', ...policies, '--json', ...flags], input);
  const decisions = out
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Decision);
  return { code, err, decisions, verdicts: decisions.map(({ decision, reason }) => `${decision} ${reason}`) };
}

describe('decide --json', () => {
  const both = ['allow rule', 'deny default'];
  test.each([
    ['one per line', `${JSON.stringify(allowed)}\n${JSON.stringify(denied)}\n`],
    ['an array', JSON.stringify([allowed, denied])],
    ['an indented array', JSON.stringify([allowed, denied], null, 2)],
    ['values one after another', `${JSON.stringify(allowed, null, 2)}\n${JSON.stringify(denied, null, 2)}`],
  ])('[CLI1] [CLI3] answers %s in order', async (_, input) => {
    for (const flags of [[], ['--request', '-']]) {
      const { code, err, verdicts } = await decide(input, ...flags);
      expect([code, err, verdicts]).toEqual([0, '', both]);
    }
    writeFileSync(join(folder, 'requests'), input);
    expect((await decide('', '--request', join(folder, 'requests'))).verdicts).toEqual(both);
  });

  test('[CLI2] answers what is no request in its place, and ends with 1', async () => {
    const lines = [
      JSON.stringify(allowed),
      'nothing',
      '{"destination": {"service": "tiers/api"}, "sauce": {}}',
      '"text"',
      'null',
      '{"destination": {"service": "tiers/api"}, "__proto__": {"source": {}}}',
      `{"destination": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      JSON.stringify(denied),
    ];
    const { code, decisions, verdicts } = await decide(lines.join('\n'), '--exit-code');
    expect(code).toBe(1);
    expect(verdicts).toEqual(['allow rule', ...Array(6).fill('deny invalid-request'), 'deny default']);
    const [first, text, field] = decisions;
    expect(text).toEqual({
      decision: 'deny',
      tier: null,
      by: null,
      shadow: 'deny',
      shadowBy: null,
      reason: 'invalid-request',
      trust: null,
      snapshot: first!.snapshot,
      violations: [
        {
          path: [],
          code: 'syntax',
          message: 'not json: expected a value, got "n"',
          hint: 'strings are in double quotes',
          place: { file: 'stdin', line: 2, column: 1 },
        },
      ],
    });
    const place = { file: 'stdin', line: 3, column: 1 };
    expect(field!.violations).toEqual([
      expect.objectContaining({ path: ['sauce'], code: 'unknown-field', place }),
    ]);
  });

  test('[CLI2] [CLI14] what the service refuses to read is denied, with its place', async () => {
    const service = '"destination":{"service":"tiers/api"}';
    const lines = [
      JSON.stringify(allowed),
      `{${service},"source":{"attributes":{"k8s:ns":"reports","k8s:ns":"web"}}}`,
      `{${service},"source":{"attributes":{"constructor":"a","k8s:ns":"\\ud800"}}}`,
      JSON.stringify(allowed),
    ];
    for (const command of ['decide', 'explain']) {
      const { code, out } = await run([command, ...policies, '--json'], lines.join('\n'));
      expect(code).toBe(1);
      const answers = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const decisions: Decision[] = answers.map((answer) =>
        command === 'decide' ? answer : answer.decision,
      );
      expect(decisions.map(({ decision, reason }) => `${decision} ${reason}`)).toEqual([
        'allow rule',
        'deny invalid-request',
        'deny invalid-request',
        'allow rule',
      ]);
      const faults = decisions.map(({ violations }) =>
        violations?.map(({ code: fault, place }) => [fault, place?.file, place?.line, place?.column]),
      );
      expect(faults).toEqual([
        undefined,
        [['duplicate-key', 'stdin', 2, 83]],
        [
          ['forbidden-key', 'stdin', 3, 64],
          ['value', 'stdin', 3, 91],
        ],
        undefined,
      ]);
    }
  });

  test('[CLI14] what is wrong with a request stands where the input has it', async () => {
    const file = join(folder, 'bad.jsonl');
    const broken = '{"destination": {"service": "tiers/api"} "source": {}}';
    writeFileSync(file, `${JSON.stringify(allowed)}\n\n  ${broken}\n{"sauce": {}}\n`);
    for (const command of ['decide', 'explain']) {
      const { code, out } = await run([command, ...policies, '--request', file]);
      expect(code).toBe(1);
      expect(out).toContain(`${file}:3:44: not json: expected "," or "}", got "\\""`);
      expect(out).toContain(
        `${file}:4:1: sauce: got the unknown field "sauce", want "source", "destination", "request" or "at"`,
      );
    }
    const places = async (input: string) =>
      (await decide(input)).decisions.map(({ violations }) => violations?.[0]?.place);
    expect(await places('[{"sauce": 1},\n\n {\n  "a": 1\n  "b": 2}]')).toEqual([
      { file: 'stdin', line: 1, column: 2 },
      { file: 'stdin', line: 5, column: 3 },
    ]);
    const flags = await run(['decide', ...policies, '--json', '--service', 'noslash']);
    expect(JSON.parse(flags.out).violations[0].place).toBeUndefined();
  });

  test('[CLI4] ends with 3 for a deny only if asked', async () => {
    expect((await decide(JSON.stringify(denied))).code).toBe(0);
    expect((await decide(JSON.stringify(denied), '--exit-code')).code).toBe(3);
    expect((await decide(JSON.stringify(allowed), '--exit-code')).code).toBe(0);
  });

  test('[CLI4] an input without requests has no decisions, and ends with 1', async () => {
    for (const input of ['', '\n\n', '[]']) {
      expect(await decide(input)).toMatchObject({
        code: 1,
        decisions: [],
        err: 'placet: the input holds no request\n',
      });
    }
  });

  test('[CLI4] a file that is not there ends with 1', async () => {
    const { code, err, decisions } = await decide('', '--request', join(folder, 'nowhere'));
    expect([code, decisions]).toEqual([1, []]);
    expect(err).toContain('cannot be read: no such file');
  });

  test('[REQ5] [CLI1] flags say how far the request is believed', async () => {
    const flags = [
      '--service',
      'tiers/api',
      '--source',
      'k8s:ns=web',
      '--source',
      'site:environment=production',
    ];
    expect((await decide('', ...flags)).verdicts).toEqual(['allow rule']);
    expect((await decide('', ...flags)).decisions[0]!.trust).toBe('attested');
    expect((await decide('', ...flags, '--trust', 'reported')).decisions[0]!.trust).toBe('reported');
    expect((await decide('', ...flags, '--trust', 'asserted')).verdicts).toEqual(['deny default']);
    // A caller's set is not complete: a label that is not there may still be.
    expect((await decide('', ...flags, '--as-caller', 'assert')).verdicts).toEqual([
      'deny unknown-attribute',
    ]);
    expect((await decide('', ...flags, '--incomplete')).verdicts).toEqual(['deny unknown-attribute']);
  });
});

describe('policies with problems', () => {
  test('[CLI5] nothing is decided with half a set, and everything wrong is said', async () => {
    const file = join(folder, 'broken.yaml');
    writeFileSync(
      file,
      'type: Mesh\nname: a\ncertificats: tags\n---\ntype: Servise\nname: b\n---\ntype: Service\nnamespace: c\nname: d\n',
    );
    const { code, out, err } = await run(['decide', '-p', file, '--service', 'c/d']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`${file}:3:1: error: certificats: `);
    expect(err).toContain('did you mean "certificates"?');
    expect(err).toMatch(/broken\.yaml:5:\d+: error: .*Servise/);
    expect(err).toContain('the documents have 2 problems, so nothing is decided with them');
    expect((await run(['check', file])).code).toBe(1);
    expect((await run(['check', join(folder, 'nowhere')])).code).toBe(1);
  });

  test('[CLI5] what is not listed counts, and is said last of its file', async () => {
    const deny = `[${Array(limits.violationsPerFile + 7).fill('{}')}]`;
    const file = join(folder, 'many.yaml');
    writeFileSync(file, `{type: MeshTrafficPermission, name: a, default: {deny: ${deny}}}\n`);
    const lines = (await run(['check', file])).out.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^1,007 errors /);
    expect(lines.at(-2)).toContain('got 7 more violations in this file');
    expect((await run(['lint', file])).err).toContain('the documents have 1,007 problems');
  });

  test('[CLI5] a file of cases with a mistake is no policy', async () => {
    const file = join(folder, 'twice.cases.yaml');
    writeFileSync(file, 'cases: []\ncases: []\n');
    const { err } = await run(['test', 'policies/40-shadow', file]);
    expect(err).toContain('placet: the documents have 1 problem, so nothing is decided with them\n');
  });

  test('[CLI5] with --json, test, lint and attributes say it as check does', async () => {
    const broken = 'test/cli/fixtures/broken/mesh.yaml';
    const { errors } = JSON.parse((await run(['check', '--json', broken])).out);
    expect(errors).toHaveLength(3);
    for (const command of ['test', 'lint', 'attributes']) {
      const { code, out, err } = await run([command, '--json', broken]);
      expect([code, JSON.parse(out)]).toEqual([1, { errors }]);
      expect(err).toBe('placet: the documents have 3 problems, so nothing is decided with them\n');
      const empty = JSON.parse((await run([command, '--json', 'policies/schema'])).out);
      expect(empty.errors).toEqual([expect.objectContaining({ code: 'empty' })]);
    }
    const none = await run(['test', '--json', 'test/cli/fixtures/mistaken/set.yaml']);
    expect(JSON.parse(none.out).errors).toEqual([expect.objectContaining({ code: 'empty' })]);
  });
});

describe('a stream', () => {
  const start = () =>
    spawn(process.execPath, [main, 'decide', ...policies, '--json'], { stdio: ['pipe', 'pipe', 'inherit'] });

  test('[CLI3] is answered line by line, while it is open', async () => {
    const child = start();
    for (let i = 0; i < 3; i++) {
      child.stdin.write(`${JSON.stringify(i % 2 === 0 ? allowed : denied)}\n`);
      const [answer] = await once(child.stdout, 'data');
      expect(JSON.parse(String(answer)).decision).toBe(i % 2 === 0 ? 'allow' : 'deny');
    }
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('[CLI3] waits while nobody takes its answers', async () => {
    const child = start();
    child.stdout.pause();
    const block = Buffer.from(`${JSON.stringify(allowed)}\n`.repeat(1_000));
    let accepted = 0;
    // 64 MB: more than pipes and buffers hold, so that writing stops unless answers pile up in memory.
    for (let i = 0; i < 500; i++) {
      if (!child.stdin.write(block)) {
        const moved = await Promise.race([
          once(child.stdin, 'drain').then(() => true),
          new Promise<boolean>((resolve) => setTimeout(resolve, 1_000, false)),
        ]);
        if (!moved) break;
      }
      accepted += 1_000;
    }
    expect(accepted).toBeLessThan(500_000);
    child.kill();
    await once(child, 'exit');
  });

  test('[CLI3] ends when nobody reads any more', () => {
    const line = JSON.stringify(allowed);
    const script = `yes '${line}' | "$0" "$@" | head -n 2`;
    const { stdout, stderr, status } = spawnSync(
      'bash',
      ['-c', script, process.execPath, main, 'decide', ...policies, '--json'],
      {
        encoding: 'utf8',
        timeout: 30_000,
      },
    );
    expect([stdout.trimEnd().split('\n').length, stderr, status]).toEqual([2, '', 0]);
  });
});
