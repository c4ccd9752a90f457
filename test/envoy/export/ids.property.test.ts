import { expect, test } from 'vitest';
import type { ExportOptions } from '../../../src/envoy/export/types.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import * as universe from '../../oracle/universe.ts';
import { idWorld } from './id-policies.ts';
import { both, Chain } from './world.ts';

/** Policies that ask of one ID more than once: each of them against every ID, since few IDs tell forms apart. */

const forms: readonly ExportOptions[] = [
  { form: 'tree' },
  { form: 'list' },
  { form: 'tree', minimise: false },
  { form: 'list', minimise: false },
  { targetVersion: '1.34' },
];

const relay = channelOf('relay');
const request = { method: 'GET', path: '/' };
const destination = { mesh: 'default', dataplane: 'plane-0', inbound: 8080 };

function compare(seed: number): { allows: number; shadowed: number } {
  const set = both(...idWorld(seed));
  const decisions = universe.spiffeIds.map((spiffeId) =>
    set.engine.decide({ source: { spiffeId }, destination, request }, relay),
  );
  const wanted = decisions.map(({ decision, shadow }, at) => [universe.spiffeIds[at], decision, shadow]);
  for (const options of forms) {
    const exported = set.exporter.export(destination, options);
    const chain = Chain.of(exported);
    const got = universe.spiffeIds.map((id) => {
      const peer = { uriSans: [id], dnsSans: [], presented: true, validated: true };
      const { enforced, shadow } = chain.decide(peer, request);
      return [id, enforced, shadow];
    });
    expect(got, JSON.stringify({ seed, options })).toEqual(wanted);
    expect(exported.report.policies.filter((one) => one.class !== 'exact')).toEqual([]);
  }
  return {
    allows: decisions.filter(({ decision }) => decision === 'allow').length,
    shadowed: decisions.filter(({ decision, shadow }) => decision !== shadow).length,
  };
}

test('[ENV2] [ENV3] [ENV6] [ENV14] policies that ask of one ID more than once, in every form', () => {
  let [allows, shadowed] = [0, 0];
  for (let seed = 1; seed <= 200; seed++) {
    const counted = compare(seed);
    allows += counted.allows;
    shadowed += counted.shadowed;
  }
  expect(allows).toBeGreaterThan(1000);
  expect(shadowed).toBeGreaterThan(500);
});

/** Another one each run, printed with what fails, so that a failure can be had again. */
const fresh = Date.now() % 1_000_000_000;

test(`[ENV2] [ENV3] [ENV6] on policies of this run alone, from seed ${fresh}`, () => {
  for (let seed = fresh; seed < fresh + 60; seed++) compare(seed);
});
