import { readFileSync } from 'node:fs';
import { readBundle } from '../../attributes/bundles/document.ts';
import { Bundles } from '../../attributes/bundles/store.ts';
import { bundleSorts } from '../../attributes/workload-api/bundle.ts';
import { type Endpoint, nameOf } from '../../attributes/workload-api/endpoint.ts';
import { fetchBundles } from '../../attributes/workload-api/fetch.ts';
import { pairFlag } from '../pair.ts';
import { named, unreadBecause } from '../path-words.ts';
import { count } from '../terminal/wrap.ts';
import type { Finding } from './finding.ts';

/** Bundles as `trust-domain=file`, each by itself. */
export function checkBundles(flags: readonly string[], now: number): readonly Finding[] {
  return flags.map((flag) => {
    const [trustDomain, file] = pairFlag('--bundle', flag, '<trust-domain>=<file>');
    const check = `bundle of ${trustDomain}`;
    const bundles = new Bundles();
    const unread = take(bundles, trustDomain, file, now);
    if (unread !== undefined)
      return { check, outcome: 'fail', says: `${named(file)}: ${unread}`, todo: renew };
    return checkAuthorities(bundles, trustDomain, now);
  });
}

const renew = 'put the bundle there that the authority publishes';

function take(bundles: Bundles, trustDomain: string, file: string, now: number): string | undefined {
  try {
    const read = readBundle(trustDomain, readFileSync(file, 'utf8'));
    if (!read.ok) return read.refusal.message;
    bundles.load(file, read.value, now);
    return undefined;
  } catch (error) {
    return unreadBecause(error);
  }
}

export async function checkWorkloadApi(endpoint: Endpoint, now: () => number): Promise<readonly Finding[]> {
  const check = 'Workload API';
  const bundles = new Bundles();
  const todo = 'see that the agent runs, and that it knows this process';
  for (const sort of [bundleSorts.x509, bundleSorts.jwt]) {
    const why = await fetchBundles(endpoint, sort, bundles).then(
      (taken) => (taken.ok ? undefined : taken.refusal.message),
      (error: Error) => error.message,
    );
    if (why !== undefined)
      return [{ check, outcome: 'fail', says: `${nameOf(endpoint)}, ${sort.method}: ${why}`, todo }];
  }
  const domains = bundles.trustDomains();
  return [
    { check, outcome: 'ok', says: `${nameOf(endpoint)}: ${count(domains.length, 'trust domain')}` },
    ...bundles
      .status()
      .flatMap(({ trustDomain, refusal }): Finding[] =>
        refusal === undefined
          ? []
          : [{ check: `bundle of ${trustDomain}`, outcome: 'fail', says: refusal.message, todo: renew }],
      ),
    ...domains.map((trustDomain) => checkAuthorities(bundles, trustDomain, now())),
  ];
}

/** Of the life of the authority that lasts longest, the part that is too little to be left. */
const little = 0.1;

function checkAuthorities(bundles: Bundles, trustDomain: string, now: number): Finding {
  const check = `bundle of ${trustDomain}`;
  const authorities = bundles.authorities(trustDomain) ?? [];
  const keys = [...(bundles.keys(trustDomain)?.values() ?? [])].flat().length;
  const what = `${count(authorities.length, 'authority', 'authorities')}, ${count(keys, 'token key')}`;
  if (authorities.length === 0) {
    const todo = 'certificates of this trust domain are refused: take its X.509 authorities in too';
    return keys > 0
      ? { check, outcome: 'warn', says: what, todo }
      : { check, outcome: 'fail', says: 'there is nothing in it', todo: renew };
  }
  const valid = authorities.filter(({ notBefore, notAfter }) => notBefore <= now && now <= notAfter);
  const ends = [...authorities].sort((a, b) => a.notAfter - b.notAfter);
  const day = (time: number) => new Date(time).toISOString();
  const last = ends.at(-1) as (typeof ends)[number];
  if (valid.length === 0) {
    const says = `${what}, none of which is valid now: the last one ended ${day(last.notAfter)}`;
    return { check, outcome: 'fail', says, todo: renew };
  }
  const first = valid.reduce((a, b) => (a.notAfter <= b.notAfter ? a : b));
  const says = `${what}; the ${valid.length > 1 ? 'first' : 'only'} valid one ends ${day(first.notAfter)}`;
  const left = Math.max(...valid.map((one) => (one.notAfter - now) / (one.notAfter - one.notBefore)));
  if (left < little) return { check, outcome: 'warn', says, todo: 'take the next authority in before that' };
  if (valid.length === authorities.length) return { check, outcome: 'ok', says };
  const others = `${authorities.length - valid.length} of them not valid now`;
  return { check, outcome: 'warn', says: `${says}; ${others}`, todo: 'take out what is over' };
}
