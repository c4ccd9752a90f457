import { expect, test } from 'vitest';
import { showExplainedRule } from '../../../src/cli/show/explained-rule.ts';
import type { Palette } from '../../../src/cli/terminal/paint.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { ask, rule } from '../../pdp/explain/small.ts';

const same = (text: string) => text;
const plain: Palette = { bold: same, dim: same, red: same, green: same, yellow: same };

test('[EXP2] [UNK4] what is otherwise in the shadow is said beside what is enforced', () => {
  const rules = [
    rule(3, ['role in dev'], { shadow: 2, policy: 'warned' }),
    rule(2, ['role in dev'], { shadow: 3, policy: 'tried' }),
  ];
  const request = { source: { attributes: { 'k8s:label:role': 'dev' } }, destination: { attributes: {} } };
  const shown = ask(rules, request, {}, channelOf('decide')).rules;
  expect(shown.flatMap((one) => showExplainedRule(one, undefined, plain))).toEqual([
    'allow warned#allow/0 (tier 3, shadow deny): does not match; in the shadow it matches, and decides',
    '    unknown  source k8s:label:role is dev',
    '             seen: dev (stated in the request, asserted), not trusted enough',
    '             true in the shadow',
    'deny tried#deny/0 (tier 2, shadow allow): matches; decides what is enforced; in the shadow it does not match',
    '    true     source k8s:label:role is dev',
    '             seen: dev (stated in the request, asserted)',
    '             unknown in the shadow: not trusted enough',
  ]);
});
