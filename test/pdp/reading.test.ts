import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { attach } from '../../src/pdp/index/attach.ts';
import { State } from '../../src/pdp/index/cells.ts';
import { compile } from '../../src/pdp/index/compile.ts';
import { Reading } from '../../src/pdp/index/reading.ts';
import { limits } from '../../src/pdp/model/limits.ts';
import { isRequest } from '../../src/pdp/model/read-request.ts';
import { operatorChannel } from '../../src/pdp/model/request.ts';
import { Origins } from '../../src/pdp/origins.ts';
import { RequestValues } from '../../src/pdp/values.ts';
import { load } from '../../src/policy/load.ts';

const key = 'k8s:label:app';

const friends = {
  type: 'AccessPolicy',
  name: 'friends',
  namespace: 'shop',
  spec: {
    action: 'allow',
    from: [{ workloadSelector: { matchLabels: { [key]: 'web' } } }],
    to: [{ workloadSelector: {} }],
  },
};

test('what is read of one request is not there in the next, however many there were', () => {
  const { rules, inventory } = load([{ value: friends, place: () => undefined }], () => '');
  const attached = attach(compile(rules, inventory.site.floor, () => false));
  const values = new RequestValues(attached, new Origins(inventory));
  const reading = new Reading(attached, values);
  values.channel(operatorChannel);
  const attribute = attached.keys.indexOf(key);
  const states: number[] = [];
  // Cells tell requests by a number that grows, and begin anew where it would grow out of them.
  reading.base = 0x7fff_ffff - 100;
  for (let i = 0; i < 20; i++) {
    const attributes = i % 2 === 0 ? { [key]: 'web' } : {};
    reading.begin();
    expect(reading.attributes(attributes, 'source')).toBe(true);
    values.source({ attributes }, true, true);
    values.give(reading);
    states.push(reading.state(attribute));
    expect(reading.isSingle(attribute)).toBe(i % 2 === 0);
  }
  expect(states).toEqual(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? State.known : State.absent)));
  expect(reading.base).toBeLessThan(200);
});

const of = (attributes: object) => ({
  source: { attributes },
  destination: { namespace: 'shop', attributes: {} },
});

test('[REQ1] what asks for a decision while it is read does not get that of what it asked', () => {
  const placet = open([friends]);
  const decided: string[] = [];
  const asking = {
    get other() {
      decided.push(placet.decide(of({ [key]: 'web', other: '1' })).decision);
      return '1';
    },
  };
  for (const attributes of [
    asking,
    Object.defineProperty({ [key]: 'no' }, 'z', { get: () => asking.other, enumerable: true }),
  ]) {
    const { decision, reason, violations } = placet.decide(of(attributes));
    expect([decision, reason, violations?.length]).toEqual(['deny', 'invalid-request', 1]);
  }
  expect(new Set(decided)).toEqual(new Set(['allow']));
  expect(placet.decide(of({ [key]: 'web' })).decision).toBe('allow');
});

test('[REQ1] attributes that are read while they are checked are those that are checked alone', () => {
  const { rules, inventory } = load([{ value: friends, place: () => undefined }], () => '');
  const attached = attach(compile(rules, inventory.site.floor, () => false));
  const reading = new Reading(attached, new RequestValues(attached, new Origins(inventory)));
  const long = 'x'.repeat(limits.attributeValueBytes + 1);
  const values: unknown[] = [
    '',
    'web',
    long,
    1,
    null,
    undefined,
    [],
    { value: 'web' },
    { value: long },
    { unknown: 'shared-identity' },
    { more: 1 },
  ];
  const keys = [
    key,
    '',
    '10',
    'constructor',
    'k'.repeat(limits.attributeKeyBytes),
    'k'.repeat(limits.attributeKeyBytes + 1),
    'client.clusterlink.net/labels.app',
    'export.clusterlink.net/name',
  ];
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, 'x']));
  const sets = [
    ...keys.flatMap((one) => values.map((value) => ({ [one]: value }))),
    many(limits.attributes),
    many(limits.attributes + 1),
    {},
  ];
  let sound = 0;
  for (const side of ['source', 'destination'] as const) {
    for (const attributes of sets) {
      const request = side === 'source' ? of(attributes) : { destination: { attributes } };
      const alone = isRequest(request);
      expect([Object.keys(attributes)[0]?.slice(0, 30), isRequest(request, reading)]).toEqual([
        Object.keys(attributes)[0]?.slice(0, 30),
        alone,
      ]);
      if (alone) sound++;
    }
  }
  expect(sound).toBeGreaterThan(20);
});
