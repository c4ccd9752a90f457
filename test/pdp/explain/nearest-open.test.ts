import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/pdp/engine.ts';
import type { Request } from '../../../src/pdp/model/request.ts';
import type { Rule } from '../../../src/pdp/model/rule.ts';
import { ask, id, inventory, outright, rule } from './small.ts';

describe('[NEAR2] "anything" leaves out what does not do, and nothing else', () => {
  test.each<[string, string[], string[][], NonNullable<Request['request']>, string[]]>([
    [
      'a deny that the value tried does not meet',
      ['request:path in /api/**'],
      [['request:path in /api/admin']],
      { path: '/x' },
      ['request:path becomes anything at or below /api but /api/admin'],
    ],
    [
      'a deny of the same condition of the request',
      ['request:method notIn GET'],
      [['request:method in POST']],
      { method: 'GET' },
      ['request:method becomes anything but GET, POST'],
    ],
    [
      'a deny of what starts alike',
      ['role exists'],
      [['role in evil*']],
      {},
      ['k8s:label:role is set to anything but what starts with evil'],
    ],
    [
      'a deny that falls by something else',
      ['request:path in /api/v1/**'],
      [['request:path in /api/**', 'request:method in DELETE']],
      { path: '/x', method: 'DELETE' },
      ['request:path becomes anything at or below /api/v1', 'request:method becomes anything but DELETE'],
    ],
    [
      'a deny that does not hold of this request',
      ['request:path in /api/**'],
      [['request:path in /api/admin', 'request:method in DELETE']],
      { path: '/x', method: 'GET' },
      ['request:path becomes anything at or below /api'],
    ],
    [
      'a deny of all but what is below',
      ['request:path in /api/**'],
      [['request:path notIn /api/*']],
      { path: '/x' },
      ['request:path becomes anything at or below /api but /api'],
    ],
    [
      'a word that the deny starts with',
      ['role exists'],
      [['role in o*']],
      {},
      ['k8s:label:role is set to anything but what starts with o'],
    ],
  ])('%s', (_, allow, denies, request, wanted) => {
    const rules = [...denies.map((when) => rule(2, when)), rule(3, allow)];
    const source = { spiffeId: id, attributes: {} };
    const asked = ask(rules, { source, destination: outright, request });
    expect(asked.nearestMiss?.words).toEqual(wanted);
  });
});

test('[NEAR2] a deny that a privileged allow keeps off for some of "anything" is said with what keeps it off', () => {
  const rules = [
    rule(1, ['request:path notIn /a*']),
    rule(1, ['c exists']),
    rule(2, ['request:path in /a /a/**'], { policy: 'paths' }),
    rule(2, ['c notExists'], { policy: 'marked' }),
    rule(3, ['request:path notIn /a']),
  ];
  const source = { spiffeId: id, complete: false };
  const miss = ask(rules, { source, destination: outright, request: { path: '/a/q' } }).nearestMiss;
  expect(miss?.denies.map((deny) => deny.id)).toContain('marked');
  expect(miss?.words).toContain('k8s:label:c is known to be anything');
});

describe('[NEAR2] [SRC1] somebody of whom nothing is known is known by the first attribute', () => {
  const nobody = (complete?: boolean): Request => ({
    source: complete === undefined ? {} : { complete },
    destination: outright,
    request: { method: 'GET' },
  });
  const evil = [rule(2, ['team in evil']), rule(2, ['role in evil'])];
  const blue = 'k8s:label:team is set to blue';

  test.each<[string, Rule[], string[]]>([
    ['it is what the allow asks for', [...evil, rule(3, ['team in blue'])], [blue]],
    ['and all else is absent', [...evil, rule(3, ['team in blue', 'role notIn reader'])], [blue]],
    ['any will do', [...evil, rule(3, [])], ['k8s:label:team is set to anything but evil']],
    [
      'beside what the request says itself',
      [...evil, rule(3, ['request:method in PUT'])],
      ['request:method becomes PUT', 'k8s:label:team is set to anything but evil'],
    ],
  ])('%s', (_, rules, wanted) => {
    const { nearestMiss } = ask(rules, nobody());
    expect(nearestMiss?.words).toEqual(wanted);
    const engine = createEngine(rules, inventory(), 'snapshot');
    const [step] = wanted.at(-1) === blue ? ['blue'] : ['zz'];
    const asked = {
      source: { attributes: { 'k8s:label:team': step as string } },
      destination: outright,
      request: { method: wanted.length > 1 ? 'PUT' : 'GET' },
    };
    expect(engine.decide(asked).decision).toBe('allow');
  });

  test('where a set is not complete, each has to be known', () => {
    const { nearestMiss } = ask([...evil, rule(3, ['team in blue'])], nobody(false));
    expect(nearestMiss?.words).toEqual([
      'k8s:label:team is known to be blue',
      'k8s:label:role is known to be anything but evil',
    ]);
  });
});
