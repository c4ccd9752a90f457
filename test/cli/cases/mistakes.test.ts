import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Violation } from '../../../src/pdp/model/violation.ts';
import { run } from '../world.ts';

const folder = 'test/cli/fixtures/mistaken';
const file = `${folder}/set.cases.yaml`;
const errors = [
  `${file}:3:43: error: defaults.request.source.compleet: got the unknown field "compleet", want "spiffeId", "mesh", "tags", "attributes" or "complete"`,
  '    did you mean "complete"?',
  `${file}:9:40: error: cases[1].request.destination: got none of "dataplane", "service" and "attributes", want one of them`,
  '    a case that means it says "reason: invalid-request"',
  `${file}:9:41: error: cases[1].request.destination.servise: got the unknown field "servise", want "dataplane", "service", "attributes", "mesh", "inbound", "route", "namespace" or "complete"`,
  '    did you mean "service"?',
  `${file}:12:40: error: cases[2].request.destination: no document beside the policies has this destination`,
  '    a case that means it says "reason: unknown-destination"',
];

test('[CLI11] check refuses a case that is denied whatever the policies say, unless it says so', async () => {
  const { code, out } = await run(['check', folder]);
  expect(code).toBe(1);
  expect(out.split('\n').slice(0, errors.length)).toEqual(errors);
  expect(out).toContain('4 errors in 2 documents');
});

test('[CLI5] [CLI11] for test it fails, as one does that takes what is wrong in defaults, and the others are run', async () => {
  const { code, out, err } = await run(['test', folder]);
  expect([code, err]).toEqual([1, '']);
  expect(out.split('\n')).toEqual([
    ...errors,
    '',
    '3 of 5 cases failed, 4 problems in cases, 0 of 0 rules exercised (100 %)',
    '',
  ]);
});

test('[CLI5] a case for an unknown destination fails with its reason, and the others are run', async () => {
  const set = mkdtempSync(join(tmpdir(), 'placet-'));
  const file = join(set, 'x.cases.yaml');
  const asks = (service: string, want: string) =>
    `  - {note: ${service}, request: {destination: {service: shop/${service}}}, want: ${want}}\n`;
  writeFileSync(file, `cases:\n${asks('play', 'allow')}${asks('pay', 'allow')}${asks('pay', 'deny')}`);
  const args = ['test', `${folder}/set.yaml`, file];
  const [{ code, out, err }, json] = [await run(args), await run([...args, '--json'])];
  writeFileSync(file, 'cases: 1');
  const none = await run(args);
  rmSync(set, { recursive: true });
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(
    /:2:41: error: cases\[0\].request.destination: no document .*\n.*\n\nFAIL pay\n.*:3:5\n.*want allow +got deny\n\n2 of 3 cases failed, 1 problem in cases/,
  );
  expect(out).not.toContain('FAIL play');
  expect(JSON.parse(json.out)).toMatchObject({
    errors: [{ code: 'reference' }],
    cases: 3,
    failures: [{ note: 'pay' }],
  });
  expect([none.code, none.out]).toEqual([1, '']);
  expect(none.err).toMatch(/cases: got the number 1, want a list\nplacet: the cases have 1 problem\n$/);
});

test('[CLI5] [CLI11] what is wrong with cases and what nobody has is said together, as JSON too', async () => {
  const broken = join(mkdtempSync(join(tmpdir(), 'placet-')), 'x.cases.yaml');
  writeFileSync(broken, `titel: x\ncases: [{request: {destination: {service: shop/no}}, want: deny}]\n`);
  const args = [`${folder}/set.yaml`, broken];
  const { code, out, err } = await run(['test', ...args]);
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/:1:1: error: titel: .*\n.*\n.*:2:33: error: .*has this destination\n/);
  const [tested, checked] = [await run(['test', '--json', ...args]), await run(['check', '--json', ...args])];
  rmSync(dirname(broken), { recursive: true });
  expect([tested.code, tested.err]).toEqual([1, '']);
  const { errors } = JSON.parse(tested.out);
  expect(errors.map((one: Violation) => one.code)).toEqual(['unknown-field', 'reference']);
  expect(JSON.parse(checked.out).errors).toEqual(errors);
});
