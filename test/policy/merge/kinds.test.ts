import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { shippedKinds } from '../../../src/policy/files.ts';
import { load } from '../../../src/policy/load.ts';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { digest } from '../loading.ts';
import { confOf, loadedText, rulesOf, shown, toService } from './loading.ts';

const proxy = `
type: Dataplane
name: web-1
networking:
  inbound: [{port: 80, tags: {kuma.io/service: web}}]
  outbound: [{port: 1, tags: {kuma.io/service: backend}}]
---
`;

describe('kinds that come with Placet', () => {
  const shipped = load([], digest, shippedKinds()).kinds;

  test('[MRG13] each file of the folder describes one, under its name', () => {
    const files = readdirSync(new URL('../../../kinds', import.meta.url)).sort();
    const names = [...shipped.values()].map(
      ({ name }) =>
        `${name.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase()}.yaml`,
    );
    expect(names.sort()).toEqual(files);
    expect(new Set([...shipped.values()].map(({ shortName }) => shortName)).size).toBe(files.length);
  });

  test('[MRG13] they are sound by themselves', () => {
    expect(load(shippedKinds(), digest).violations).toEqual([]);
  });

  test.each([...shipped.values()])('[MRG13] $name is read and merged in both forms', (kind) => {
    const arrays = kind.directions;
    const item = (conf: string) => `[{targetRef: {kind: Mesh}, ${conf}}]`;
    const later = arrays.map((one) => `${one}: ${item('default: {a: {x: 1}, appendB: [1]}')}`).join(', ');
    const first = arrays.map((one) => `${one}: ${item('a: {y: 2}, appendB: [2]')}`).join(', ');
    const loaded = loadedText(`${proxy}
type: ${kind.name}
name: later
spec: {${later || 'default: {a: {x: 1}, appendB: [1]}'}}
---
type: ${kind.name}
name: first
conf: {${first || 'a: {y: 2}, appendB: [2]'}}
`);
    const conf = confOf(loaded, 'default/web-1', kind.name)!;
    const all = [
      ...(arrays.length === 0 ? [shown(conf.own)?.conf] : []),
      ...(arrays.includes('to') ? [toService(conf, 'backend')?.conf] : []),
      ...(arrays.includes('from') ? [rulesOf(conf.inbounds[0]?.conf)[0]?.[1]] : []),
    ];
    for (const one of all) expect(one).toEqual({ a: { x: 1, y: 2 }, appendB: [2, 1] });
    expect(all).not.toEqual([]);
  });
});

describe('a kind that a document describes', () => {
  const kind = `
type: PolicyKind
name: MeshHeaderRewrite
shortName: mhrw
directions: [to, from]
concat: [request.add]
---
`;
  const policies = `
type: MeshHeaderRewrite
name: base
spec:
  to:
    - targetRef: {kind: Mesh}
      default: {request: {add: [{name: x-mesh}], remove: [x-debug]}}
---
type: MeshHeaderRewrite
name: web
spec:
  targetRef: {kind: MeshService, name: web}
  to:
    - targetRef: {kind: MeshService, name: backend}
      default: {request: {add: [{name: x-web}], remove: []}}
---
type: MeshHeaderRewrite
name: inbound
conf:
  from:
    - targetRef: {kind: ServiceSubset, name: old, tags: {version: v1}}
      request: {remove: [x-old]}
---
`;

  test('[MRG13] merges without the code knowing it', () => {
    const conf = confOf(loadedText(kind + policies + proxy), 'default/web-1', 'MeshHeaderRewrite')!;
    expect(toService(conf, 'backend')).toEqual({
      conf: { request: { add: [{ name: 'x-mesh' }, { name: 'x-web' }], remove: [] } },
      by: { 'request.add.0': 'base', 'request.add.1': 'web', 'request.remove': 'web' },
    });
    expect(rulesOf(conf.inbounds[0]?.conf)).toEqual([
      ['kuma.io/service=old version=v1', { request: { remove: ['x-old'] } }],
    ]);
    expect(conf.policies[0]?.head.shortName).toBe('mhrw');
  });

  test('[MRG13] may take the place of one that comes with Placet', () => {
    const own = kind.replace('MeshHeaderRewrite', 'MeshTimeout').replace('request.add', 'list');
    const timeout = (name: string) =>
      `type: MeshTimeout\nname: ${name}\nspec: {to: [{targetRef: {kind: Mesh}, default: {list: [${name}]}}]}\n---\n`;
    const merged = (text: string) =>
      toService(confOf(loadedText(text), 'default/web-1', 'MeshTimeout'), 'backend');
    const both = timeout('a') + timeout('b') + proxy;
    expect(merged(both)?.conf).toEqual({ list: ['a'] });
    expect(merged(own + both)?.conf).toEqual({ list: ['b', 'a'] });
  });
});

test('[MRG12] policies that are never enforced count where they are asked for', () => {
  const timeout = (name: string, labels: string) =>
    `type: MeshTimeout\nname: ${name}\nlabels: {${labels}}\nspec: {to: [{targetRef: {kind: Mesh}, default: {a: ${name}}}]}\n---\n`;
  const loaded = loadedText(timeout('a', 'kuma.io/effect: shadow') + timeout('b', '') + proxy);
  const dataplane = loaded.inventory.dataplanes.get('default/web-1')!;
  const of = (shadow: boolean) =>
    toService(new Confs({ ...loaded, shadow }).of(dataplane)[0], 'backend')?.conf;
  expect(of(false)).toEqual({ a: 'b' });
  expect(of(true)).toEqual({ a: 'a' });
});

test('[MRG2] permissions in the form of lists add up', () => {
  const permission = (name: string, lists: string) =>
    `type: MeshTrafficPermission\nname: ${name}\nspec: ${lists}\n---\n`;
  const id = (value: string) => `{spiffeId: {type: Exact, value: 'spiffe://td/${value}'}}`;
  const loaded = loadedText(
    permission('a', `{default: {allow: [${id('a')}], deny: [${id('x')}]}}`) +
      permission('b', `{rules: [{default: {allow: [${id('b')}]}}, {default: {allow: [${id('c')}]}}]}`) +
      proxy,
  );
  const conf = confOf(loaded, 'default/web-1', 'MeshTrafficPermission')!.inbounds[0]!.conf;
  const [[clients, lists] = []] = rulesOf(conf) as readonly [string, { allow: object[]; deny: object[] }][];
  expect(clients).toBe('');
  expect(JSON.stringify(lists?.allow).match(/td\/./g)).toEqual(['td/b', 'td/c', 'td/a']);
  expect(lists?.deny).toHaveLength(1);
});

test('[MRG10] clients of another mesh are named with it', () => {
  const loaded = loadedText(`${proxy}
type: MeshFaultInjection
name: f
spec:
  from:
    - targetRef: {kind: Mesh}
      default: {a: 1}
    - targetRef: {kind: MeshService, name: api, mesh: other}
      default: {b: 2}
`);
  const conf = confOf(loaded, 'default/web-1', 'MeshFaultInjection')!.inbounds[0]!.conf;
  const rules = conf?.as === 'rules' ? conf.rules : [];
  expect(rules.map(({ clients: { mesh, is }, conf }) => [mesh, [...is], conf])).toEqual([
    ['default', [], { a: 1 }],
    ['other', [['kuma.io/service', 'api']], { b: 2 }],
  ]);
});
