import { describe, expect, test } from 'vitest';
import type { Request } from '../../../src/pdp/model/request.ts';
import { ask, id, outright, rule } from './small.ts';

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
