import { describe, expect } from 'vitest';
import { normalisePath, pathBefore } from '../../../src/pdp/model/path.ts';
import * as build from '../../envoy/interpreter/build.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import type { Said } from '../../support/envoy/lab.ts';
import type { ListenerSpec } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { asFilter, bothSay, labOf } from './facts.ts';

/** Which paths reach a filter, and how they are written there. */

type Json = Readonly<Record<string, unknown>>;
const path = build.header(':path');
const deny = build.action('deny', 'DENY');
const allow = build.action('allow', 'ALLOW');
const unless = (predicate: Json) => build.http({ matcher: build.list([[predicate, deny]], allow) });
const exact = unless(build.single(path, { exact: '/metrics' }));
const withQuery = unless(
  build.either(build.single(path, { exact: '/metrics' }), build.single(path, { prefix: '/metrics?' })),
);
const method = unless(build.single(build.header(':method'), { exact: 'DELETE' }));

const raw = { normalize_path: false, merge_slashes: false };
const specs: Readonly<Record<string, { filter: Json; manager?: Json }>> = {
  raw: { filter: exact, manager: raw },
  normalised: { filter: exact, manager: { ...raw, normalize_path: true } },
  merged: { filter: exact },
  unescaped: { filter: exact, manager: { path_with_escaped_slashes_action: 'UNESCAPE_AND_REDIRECT' } },
  rejecting: { filter: exact, manager: { path_with_escaped_slashes_action: 'REJECT_REQUEST' } },
  query: { filter: withQuery },
  method: { filter: method },
};
const lab = labOf(async () => {
  const trust = spiffeBundles(await authority('td'));
  return Object.entries(specs).map(
    ([name, { filter, manager }]): ListenerSpec => ({
      name,
      kind: 'http',
      filters: [asFilter(filter)],
      trust,
      ...(manager === undefined ? {} : { manager }),
    }),
  );
});
const client = async () => ({ certificate: await svid(await authority('td'), 'spiffe://td/a') });

async function asked(listener: string, path: string, more: Json = {}): Promise<Said> {
  const [said] = await (await lab()).ask(listener, await client(), [{ path, ...more }]);
  return said!;
}
/** Verdicts of listeners on one path: `-` where the request did not come to the filter. */
async function across(path: string, ...listeners: string[]): Promise<string> {
  const verdicts: string[] = [];
  for (const listener of listeners) {
    const { verdict } = await asked(listener, path);
    verdicts.push(verdict === 'rejected' ? '-' : verdict);
  }
  return verdicts.join(' ');
}

describe('the path that a filter sees', () => {
  live(envoyMissing, '[FACT14] has its query', async () => {
    expect((await asked('merged', '/metrics?a=1')).verdict).toBe('allow');
    for (const [to, wanted] of [
      ['/metrics', 'deny deny'],
      ['/metrics?', 'deny deny'],
      ['/metrics?a=1', 'deny deny'],
      ['/metricsx', 'allow allow'],
      ['/x?/metrics', 'allow allow'],
    ] as const) {
      expect(await bothSay(await lab(), 'query', withQuery, await client(), { path: to })).toBe(wanted);
    }
  });

  /** As it comes, normalised, and with slashes merged. */
  const tricks: Readonly<Record<string, string>> = {
    '/metrics': 'deny deny deny',
    '/a/../metrics': 'allow deny deny',
    '/./metrics': 'allow deny deny',
    '/%6detrics': 'allow deny deny',
    '/a/%2e%2e/metrics': 'allow deny deny',
    '/a\\..\\metrics': 'allow deny deny',
    '//metrics': 'allow allow deny',
    '/a%2f..%2fmetrics': 'allow allow allow',
    '/Metrics': 'allow allow allow',
    '/metrics/': 'allow allow allow',
    '/metrics;x=1': 'allow allow allow',
  };
  for (const [to, wanted] of Object.entries(tricks)) {
    live(envoyMissing, `[FACT15] a deny on /metrics and ${to}`, async () => {
      expect(await across(to, 'raw', 'normalised', 'merged')).toBe(wanted);
    });
  }

  live(
    envoyMissing,
    '[FACT15] escaped slashes are redirected or refused before any filter, where that is asked for',
    async () => {
      expect((await asked('unescaped', '/a%2f..%2fmetrics')).status).toBe(307);
      expect((await asked('rejecting', '/a%2fb')).status).toBe(400);
      expect((await asked('rejecting', '/a%5cb')).status).toBe(400);
      expect((await asked('rejecting', '/a')).status).toBe(200);
    },
  );

  live(envoyMissing, '[FACT16] a method is what the request line says', async () => {
    const headers = { 'x-http-method-override': 'DELETE' };
    expect((await asked('method', '/', { headers })).verdict).toBe('allow');
    expect((await asked('method', '/', { method: 'DELETE' })).verdict).toBe('deny');
    expect((await asked('method', '/', { method: 'delete' })).status).toBe(400);
  });
});

const pieces = [
  ...['/', '/', '/', '//', '.', '..', '/../', '/./', '%2e', '%2E', '%2e%2E', '\\', ';', ';x', '..;', '.;a'],
  ...[
    'a',
    'bc',
    'A',
    '~',
    '%61',
    '%7e',
    '%41',
    '%c3',
    '%C3%a9',
    '%20',
    '%25',
    '%3f',
    '%23',
    '%3b',
    '%7F',
    '%09',
  ],
  ...["!$&'()*+,", '-_.', ':=@', '[', ']', '"<>', '^`{|}', '?', '?a=/../b', '?%2f'],
];

function randomPath(random: Random): string {
  return `/${Array.from({ length: random.between(0, 9) }, () => random.pick(pieces)).join('')}`;
}

async function normalises(seed: number, count: number): Promise<void> {
  const random = new Random(seed);
  const all = new Set<string>();
  while (all.size < count) all.add(randomPath(random));
  const paths = [...all];
  const shares = [0, 1, 2, 3].map((share) => paths.filter((_, index) => index % 4 === share));
  const peer = await client();
  const opened = await lab();
  const [counts, wrong] = [{ same: 0, changed: 0, ambiguous: 0, rejected: 0 }, [] as string[]];
  await Promise.all(
    shares.map(async (share) => {
      const answers = await opened.ask(
        'merged',
        peer,
        share.map((to) => ({ path: to })),
      );
      for (const [index, { verdict, path: seen }] of answers.entries()) {
        const to = share[index]!;
        const ours = normalisePath(to);
        // Who asks with the path that Envoy leaves has to be told the same.
        const again = verdict === 'rejected' || seen === undefined ? ours : normalisePath(pathBefore(seen));
        if (again !== ours) wrong.push(`${to}: ours ${ours}, of what Envoy leaves ${again}`);
        if (ours === undefined) counts.ambiguous++;
        else if (verdict === 'rejected') counts.rejected++;
        else if (seen?.split('?')[0] !== ours) wrong.push(`${to}: Envoy ${seen}, ours ${ours}`);
        else counts[ours === to ? 'same' : 'changed']++;
      }
    }),
  );
  console.log(`paths of seed ${seed}: ${JSON.stringify(counts)}`);
  expect(wrong).toEqual([]);
  expect(counts.same + counts.changed).toBeGreaterThan(count * 0.7);
  expect(counts.changed).toBeGreaterThan(count * 0.3);
}

describe('the normal form', () => {
  live(envoyMissing, '[PATH1] is that of a real Envoy, on 10,500 paths', () => normalises(51, 10_500));
  const fresh = Date.now() % 1_000_000_000;
  live(envoyMissing, `[PATH1] and on 1,000 of this run alone, from seed ${fresh}`, () =>
    normalises(fresh, 1_000),
  );
});
