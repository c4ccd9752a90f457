import { afterEach, expect, test, vi } from 'vitest';
import { type Answers, rendering, type Wanted } from '../../../src/cli/serve/rendering.ts';
import { Exporter } from '../../../src/envoy/export/exporter.ts';
import { both } from '../../envoy/export/world.ts';

afterEach(() => vi.restoreAllMocks());

const name = 'placet/http/http/0';
const plane = (dataplane: string) => ({
  type: 'Dataplane',
  name: dataplane,
  inbounds: [{ name: 'http', port: 80, protocol: 'http' }],
});
const permission = {
  type: 'MeshTrafficPermission',
  name: 'a',
  spec: { rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value: 'spiffe://td/a' } }] } }] },
};
const { loaded } = both(...['a', 'b', 'c'].map(plane), permission);

function wanted(known: Wanted['known'] = new Map()): Wanted {
  const wants = ['a', 'b', 'c'].map((dataplane) => ({
    proxy: { mesh: 'default', dataplane },
    names: [name],
  }));
  return { wants, known };
}

/** A machine that is never busy. */
const timeless = () => 0;

const resources = (answers: Answers) => answers.flatMap((made) => ('failed' in made ? [] : made.resources));

test('[XDS11] what several get goes over once, and without bytes where they are known', () => {
  const make = rendering(timeless);
  const answers = structuredClone(make(wanted(), loaded)) as Answers;
  const [a, b, c] = resources(answers);
  expect(a?.bytes?.length).toBeGreaterThan(100);
  expect([b, c].every((one) => one === a)).toBe(true);
  const again = make(wanted(new Map([[name, new Set([a!.version])]])), loaded) as Answers;
  expect(resources(again)).toEqual(Array(3).fill({ name, version: a!.version }));
});

test('[XDS11] whoever else asks of the rules is not kept waiting for all', () => {
  let now = 0;
  const make = rendering(() => {
    now += 20;
    return now;
  });
  expect(make(wanted(), loaded)).toHaveLength(3);
  now = 0;
  const slow = rendering(() => {
    now += 60;
    return now;
  });
  expect(slow(wanted(), loaded)).toHaveLength(1);
});

test('[XDS7] what goes wrong for one is no matter of the others', () => {
  vi.spyOn(Exporter.prototype, 'filters').mockImplementationOnce(() => {
    throw new Error('broken');
  });
  const [a, ...others] = rendering(timeless)(wanted(), loaded) as Answers;
  expect(a).toEqual({ failed: 'broken' });
  expect(resources(others)).toHaveLength(2);
});
