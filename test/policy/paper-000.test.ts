import { expect, test } from 'vitest';
import { loadText, violationsIn } from './loading.ts';
import { conditionsText, tierText } from './rule-text.ts';

/** The worked example of the SPIFFE form: what each owner writes, and the rules that come of it. */

const operator = {
  deny: '[{SPELLING: {type: Exact, value: "spiffe://trust-domain.mesh/ns/default/sa/frontend"}}]',
};
const owner = {
  deny: '[{SPELLING: {type: Exact, value: "spiffe://trust-domain.mesh/ns/default/sa/api-gateway"}}]',
  allowWithShadowDeny: '[{SPELLING: {type: Prefix, value: "spiffe://trust-domain.mesh/ns/legacy"}}]',
  allow: '[{SPELLING: {type: Prefix, value: "spiffe://trust-domain.mesh/"}}]',
};

function documents(spelling: string, shape: (lists: string) => string): string {
  return Object.entries({ 'by-mesh-operator': operator, 'by-service-owner': owner })
    .map(([name, lists]) => {
      const written = Object.entries(lists).map(([list, matchers]) => `${list}: ${matchers}`);
      const spec = shape(`{${written.join(', ').replaceAll('SPELLING', spelling)}}`);
      return `type: MeshTrafficPermission\nmesh: default\nname: ${name}\nspec: {targetRef: {}, ${spec}}\n`;
    })
    .join('---\n');
}

test('[MTP1] [MTP3] [MTP8] the example of paper 000, in the shape of the paper', () => {
  const loaded = loadText(documents('spiffeId', (lists) => `default: ${lists}`));
  expect(violationsIn(loaded)).toEqual([]);
  expect(loaded.rules.map((rule) => `${tierText(rule)} ${conditionsText(rule).at(-1)}`)).toEqual([
    'kri_mtp_default___by-service-owner_#deny/0 2/2 source spiffe:id in spiffe://trust-domain.mesh/ns/default/sa/api-gateway',
    'kri_mtp_default___by-service-owner_#allowWithShadowDeny/0 3/2 source spiffe:id in ^spiffe://trust-domain.mesh/ns/legacy',
    'kri_mtp_default___by-service-owner_#allow/0 3/3 source spiffe:id in ^spiffe://trust-domain.mesh/',
    'kri_mtp_default___by-mesh-operator_#deny/0 2/2 source spiffe:id in spiffe://trust-domain.mesh/ns/default/sa/frontend',
  ]);
  for (const rule of loaded.rules) expect(conditionsText(rule)).toHaveLength(2);
});

test('[MTP1] the same in the shape that ships has the same rules, but for their place', () => {
  const paper = loadText(documents('spiffeId', (lists) => `default: ${lists}`));
  const shipped = loadText(documents('spiffeID', (lists) => `rules: [{default: ${lists}}]`));
  expect(shipped.rules).toHaveLength(paper.rules.length);
  for (const [index, rule] of shipped.rules.entries()) {
    const { id, origin, ...rest } = rule;
    const { id: paperId, origin: paperOrigin, ...paperRest } = paper.rules[index]!;
    expect(rest).toEqual(paperRest);
    expect({ ...origin, path: paperOrigin.path }).toEqual(paperOrigin);
    expect(id.replace('#rules/0/', '#')).toBe(paperId);
  }
  expect(shipped.snapshot).not.toBe(paper.snapshot);
});

test('[MTP5] [MTP4] a matcher with a method, a path and an identity, as in the user stories', () => {
  const loaded = loadText(`
type: MeshTrafficPermission
name: by-backend-owner
spec:
  targetRef: {kind: Dataplane, labels: {app: backend}}
  default:
    allow:
      - method: GET
      - method: POST
        spiffeId: {type: Prefix, value: "spiffe://trust-domain.mesh/ns/writers"}
      - spiffeId: {type: Prefix, value: "spiffe://trust-domain.mesh/ns/observability"}
        path: {type: Prefix, value: /metrics}
`);
  const shared = ['destination kuma:mesh in default', 'destination kuma:label:app in backend'];
  expect(loaded.rules.map(conditionsText)).toEqual([
    [...shared, 'request request:method in GET'],
    [
      ...shared,
      'source spiffe:id in ^spiffe://trust-domain.mesh/ns/writers',
      'request request:method in POST',
    ],
    [
      ...shared,
      'source spiffe:id in ^spiffe://trust-domain.mesh/ns/observability',
      'request request:path in ^/metrics',
    ],
  ]);
});
