import { entriesOf, type Json, kindOf, replaceAll } from './planting.ts';

/** Mistakes with tokens: planted in the RBAC filter that stands behind `jwt_authn` and the script. */
export interface TokenMutant {
  readonly name: string;
  readonly form: 'list' | 'tree';
  readonly plant: (rbac: Json[]) => void;
}

/** Every guard that asks for one thing, in both worlds. */
const withoutGuard =
  (asks: string): TokenMutant['plant'] =>
  (rbac) => {
    let dropped = 0;
    replaceAll(rbac, (value, key) => {
      if (key !== 'matchers' || !Array.isArray(value)) return value;
      const kept = (value as Json[]).filter((entry) => {
        const text = JSON.stringify(entry);
        return !(text.includes('"token-refused"') && text.includes(asks));
      });
      dropped += value.length - kept.length;
      return kept;
    });
    if (dropped === 0) throw new Error(`no guard asks for ${asks}`);
  };

/** Predicates that a test picks out by their text, left out of what they stand in. */
const without =
  (test: (predicate: string) => boolean): TokenMutant['plant'] =>
  (rbac) =>
    replaceAll(rbac, (value) => {
      const inner = (value as { and_matcher?: { predicate?: unknown[] } } | null)?.and_matcher?.predicate;
      if (inner === undefined) return value;
      const kept = inner.filter((one) => 'and_matcher' in (one as object) || !test(JSON.stringify(one)));
      if (kept.length === 0) return value;
      return kept.length === 1 ? kept[0] : { and_matcher: { predicate: kept } };
    });

const reads = (claim: string) => (predicate: string) => predicate.includes(`"key":"${claim}"`);
const ofPeer = (predicate: string) => reads('iss')(predicate) || predicate.includes('.UriSanInput');

export const tokenMutants: readonly TokenMutant[] = [
  { name: 'cnf is not asked for', form: 'list', plant: withoutGuard('"key":"binding"') },
  { name: 'times are not asked for', form: 'list', plant: withoutGuard('"key":"times"') },
  { name: 'claims that are no strings are not denied', form: 'list', plant: withoutGuard('"key":"claims"') },
  { name: 'aud is left to jwt_authn', form: 'list', plant: withoutGuard('"key":"aud"') },
  { name: 'export is not asked for', form: 'list', plant: withoutGuard('"key":"export"') },
  { name: 'iss and sub are not asked for', form: 'tree', plant: withoutGuard('"key":"iss"') },
  {
    name: 'issuer missing beside predicates, and before them',
    form: 'list',
    plant: (rbac) => {
      withoutGuard('"key":"iss"')(rbac);
      without(reads('iss'))(rbac);
    },
  },
  { name: 'whose token it is missing beside predicates', form: 'list', plant: without(ofPeer) },
  { name: 'trust is not asked for', form: 'list', plant: without(reads('trust')) },
  {
    name: 'no claim taken for one that differs',
    form: 'list',
    plant: without((one) => one.includes('"key":"attributes"') && one.includes('safe_regex')),
  },
  {
    name: 'values compared as the matcher API compares texts',
    form: 'list',
    plant: (rbac) =>
      replaceAll(rbac, (value) => {
        const match = value as {
          custom_match?: { typed_config: { value: { string_match: unknown } } };
        } | null;
        if (match?.custom_match === undefined || !JSON.stringify(match).includes('"attributes"'))
          return value;
        const { custom_match, ...rest } = match;
        return { ...rest, value_match: custom_match.typed_config.value.string_match };
      }),
  },
  {
    name: 'peers are not told from others',
    form: 'list',
    plant: (rbac) => {
      withoutGuard('"key":"iss"')(rbac);
      entriesOf(rbac).splice(
        entriesOf(rbac).findIndex((entry) => JSON.stringify(entry).includes('"peer-refused"')),
        1,
      );
    },
  },
  {
    name: 'deny after allow',
    form: 'list',
    plant: (rbac) => {
      const entries = entriesOf(rbac);
      const at = entries.findIndex((entry) => JSON.stringify(entry).includes('/interns"'));
      if (kindOf(entries[at] as Json) !== 'deny') throw new Error('no deny of interns');
      entries.push(...entries.splice(at, 1));
    },
  },
];
