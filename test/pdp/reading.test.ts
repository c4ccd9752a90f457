import { expect, test } from 'vitest';
import { attach } from '../../src/pdp/index/attach.ts';
import { State } from '../../src/pdp/index/cells.ts';
import { compile } from '../../src/pdp/index/compile.ts';
import { Reading } from '../../src/pdp/index/reading.ts';
import { operatorChannel } from '../../src/pdp/model/request.ts';
import { Origins } from '../../src/pdp/origins.ts';
import { RequestValues } from '../../src/pdp/values.ts';
import { load } from '../../src/policy/load.ts';

const key = 'k8s:label:app';

test('what is read of one request is not there in the next, however many there were', () => {
  const value = {
    type: 'AccessPolicy',
    name: 'friends',
    namespace: 'shop',
    spec: {
      action: 'allow',
      from: [{ workloadSelector: { matchLabels: { [key]: 'web' } } }],
      to: [{ workloadSelector: {} }],
    },
  };
  const { rules, inventory } = load([{ value, place: () => undefined }], () => '');
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
