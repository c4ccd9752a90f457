import { describe, expect, test } from 'vitest';
import { coverageOf } from '../../../src/cli/cases/coverage.ts';
import { readCases } from '../../../src/cli/cases/read.ts';
import { runCase } from '../../../src/cli/cases/run.ts';
import type { By, Decision } from '../../../src/pdp/model/decision.ts';
import type { Rule } from '../../../src/pdp/model/rule.ts';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import { parseText } from '../../../src/policy/text/parse.ts';

function read(text: string) {
  const { cases, violations } = parseText(text, 'x.yaml');
  expect(violations).toEqual([]);
  return readCases(cases[0]!);
}

const by: By = { policy: 'p', kri: 'kri_mtp_default___p_', effect: 'allow', index: 1 };
const allowed: Decision = {
  decision: 'allow',
  tier: 3,
  by,
  shadow: 'deny',
  shadowBy: null,
  reason: 'rule',
  trust: 'attested',
  snapshot: 's',
};

describe('a file of cases', () => {
  test('[CLI7] a case takes the parts that it does not give from the defaults, whole', () => {
    const { cases, violations, title } = read(`
title: T
defaults:
  request:
    source: {spiffeId: spiffe://td/a}
    destination: {mesh: m, dataplane: d}
cases:
  - note: one
    request: {destination: {service: a/b}}
    want: allow
  - request: {}
    want: deny
`);
    expect(violations).toEqual([]);
    expect(title).toBe('T');
    expect(cases.map(({ note, request }) => [note, request])).toEqual([
      ['one', { source: { spiffeId: 'spiffe://td/a' }, destination: { service: 'a/b' } }],
      ['case 2', { source: { spiffeId: 'spiffe://td/a' }, destination: { mesh: 'm', dataplane: 'd' } }],
    ]);
    expect(cases[0]!.place).toEqual({ file: 'x.yaml', line: 8, column: 5 });
  });

  test('[CLI5] everything that is wrong is said at once, in the order of the file', () => {
    const { cases, violations } = read(`titel: x
cases:
  - {note: 1, request: {}, want: allow}
  - {request: {destination: {service: a/b}}, wants: deny}
  - {request: [], want: maybe, reason: because, tier: 5}
  - nothing
  - {request: {destination: {servce: a/b}}, want: deny, shadow: maybe}
  - {request: {destination: {service: a/b}}, want: deny}
  - {request: {source: {}, destination: {service: a/b}}, want: deny}
  - {request: {sauce: 1}, want: deny, reason: invalid-request}
defaults: {request: {source: {compleet: true}}, requests: 1}
`);
    expect(cases.map(({ note }) => note)).toEqual(['case 7', 'case 8']);
    expect(violations.map(formatViolation)).toEqual([
      'x.yaml:1:1: titel: got the unknown field "titel", want "title", "about", "defaults" or "cases" (did you mean "title"?)',
      'x.yaml:3:12: cases[0].note: got the number 1, want a string (put it in quotes)',
      'x.yaml:4:5: cases[1].want: got nothing, want "allow" or "deny"',
      expect.stringMatching(
        /^x.yaml:4:46: cases\[1\].wants: got the unknown field "wants", want .* \(did you mean "want"\?\)$/,
      ),
      'x.yaml:5:15: cases[2].request: got an empty list, want an object',
      'x.yaml:5:25: cases[2].want: got "maybe", want "allow" or "deny"',
      expect.stringContaining('x.yaml:5:40: cases[2].reason: got "because", want "rule", "default",'),
      'x.yaml:5:55: cases[2].tier: got the number 5, want 0, 1, 2, 3, 4 or null',
      'x.yaml:6:5: cases[3]: got "nothing", want an object',
      'x.yaml:7:30: cases[4].request.destination.servce: got the unknown field "servce", want "dataplane", "service", "attributes", "mesh", "inbound", "route", "namespace" or "complete" (did you mean "service"?)',
      'x.yaml:7:65: cases[4].shadow: got "maybe", want "allow" or "deny"',
      'x.yaml:11:31: defaults.request.source.compleet: got the unknown field "compleet", want "spiffeId", "mesh", "tags", "attributes" or "complete" (did you mean "complete"?)',
      'x.yaml:11:49: defaults.requests: got the unknown field "requests", want "request" (did you mean "request"?)',
    ]);
  });

  test('[CLI5] what may be null is asked for so, and the nearest name is told', () => {
    const { violations } = read(`cases:
  - {request: {destination: {service: a/b}}, want: deny, by: 1, trust: reportd}
  - {request: {destination: {service: a/b}}, want: deny, by: null, shadowBy: null, tier: null, trust: null}
`);
    expect(violations.map(formatViolation)).toEqual([
      'x.yaml:2:62: cases[0].by: got the number 1, want a string or null (put it in quotes)',
      expect.stringMatching(
        /trust: got "reportd", want "attested", .* or null \(did you mean "reported"\?\)$/,
      ),
    ]);
  });

  test('[CLI5] a part of the request that nobody gives is missed where the case is', () => {
    const { violations } = read(`defaults: {request: {source: {}}}
cases:
  - {request: {}, want: deny}
  - {request: {request: {}}, want: deny}
`);
    expect(violations.map(formatViolation)).toEqual([
      'x.yaml:3:15: cases[0].request.destination: got nothing, want an object (say a dataplane, a service or attributes)',
      'x.yaml:4:15: cases[1].request.destination: got nothing, want an object (say a dataplane, a service or attributes)',
    ]);
  });
});

describe('a case', () => {
  const run = (wanted: object) =>
    runCase({ note: 'n', request: {}, want: 'allow', ...wanted }, () => allowed).misses;

  test.each(['p', 'p#allow/1', 'kri_mtp_default___p_', 'kri_mtp_default___p_#allow/1'])(
    '[CLI7] names its rule as %s',
    (name) => expect(run({ by: name })).toEqual([]),
  );
  test('[CLI7] says what it wants and what it got', () => {
    expect(
      run({
        want: 'deny',
        by: 'p#allow/0',
        reason: 'default',
        tier: 2,
        trust: 'reported',
        shadow: 'allow',
        shadowBy: 'q',
      }),
    ).toEqual([
      { field: 'decision', want: 'deny', got: 'allow' },
      { field: 'by', want: 'p#allow/0', got: 'p#allow/1' },
      { field: 'reason', want: 'default', got: 'rule' },
      { field: 'tier', want: '2', got: '3' },
      { field: 'trust', want: 'reported', got: 'attested' },
      { field: 'shadow', want: 'allow', got: 'deny' },
      { field: 'shadowBy', want: 'q', got: 'no rule' },
    ]);
    expect(run({ by: null })).toEqual([{ field: 'by', want: 'no rule', got: 'p#allow/1' }]);
    expect(run({ shadowBy: null })).toEqual([]);
  });
});

describe('coverage', () => {
  const rules = ['a', 'b', 'c'].map((id) => ({ id }) as Rule);
  const outcome = (...names: (string | null)[]) => {
    const [first, second] = names.map((policy) => (policy === null ? null : { ...by, policy }));
    return {
      case: { note: '', request: {}, want: 'allow' } as const,
      decision: { ...allowed, by: first!, shadowBy: second! },
      misses: [],
    };
  };
  const find = ({ policy }: By) => rules.find(({ id }) => id === policy);

  test('[CLI7] a rule is exercised that decided in either world', () => {
    expect(coverageOf(rules, [outcome('a', null), outcome(null, 'b'), outcome('a', 'a')], find)).toEqual({
      rules: 3,
      exercised: 2,
      percent: 66,
      missing: [rules[2]],
    });
  });
  test('[CLI7] no rules are all of them', () => {
    expect(coverageOf([], [], find)).toEqual({ rules: 0, exercised: 0, percent: 100, missing: [] });
  });
});
