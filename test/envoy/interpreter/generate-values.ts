import type { Random } from '../../oracle/random.ts';

/** A small world, so that predicates hold often enough to matter, and random matchers over its texts and values. */

export const ids = [
  'spiffe://td/ns/a',
  'spiffe://td/ns/a/sa/x',
  'spiffe://td/ns/ab',
  'spiffe://td/ns/b',
  'spiffe://other/ns/a',
  'kuma://k/v',
  'spiffe://td/ns/a,kuma://k/v',
  'CN=spiffe://td/ns/a',
] as const;
export const prefixes = [
  'spiffe://td/',
  'spiffe://td/ns/a',
  'spiffe://td/ns/a/',
  'spiffe://td/ns',
  'kuma://',
  's',
  'CN=',
];
export const paths = [
  '/metrics',
  '/metrics?a=1',
  '/metrics/x',
  '/metricsx',
  '/',
  '/a?b=/metrics',
  '/M',
  '/metrics#f',
];
export const methods = ['GET', 'POST', 'DELETE'];
export const snis = ['a.example', 'b.example'];

export const regexes = [
  '^(?:.*,)?spiffe://td/ns/a(?:,.*)?$',
  '/metrics(\\?.*)?',
  '[^a]*',
  '.*',
  '(a|b)\\.example|',
  'spiffe://td/ns/\\w+',
  'GET|P\\S{3}',
  '.+/[\\w/-]*\\d?',
];
/** Too long for Envoy outside the matcher API. */
const guard =
  'spiffe://[a-z0-9._-]{1,255}(?:/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.\\.[A-Za-z0-9._-]+))*';

export type Json = unknown;
export const type = (name: string) => `type.googleapis.com/${name}`;
export class Values {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  text(values: readonly string[], heads: readonly string[], xds: boolean): Json {
    const random = this.random;
    const roll = random.next();
    if (roll < 0.15) {
      const regex = random.pick(xds ? [...regexes, guard] : regexes);
      return { safe_regex: { regex, ...(xds || random.chance(0.5) ? { google_re2: {} } : {}) } };
    }
    const ignore = random.chance(0.15);
    const cased = (text: string) => (ignore && random.chance(0.6) ? text.toUpperCase() : text);
    const more = ignore ? { ignore_case: true } : {};
    if (roll < 0.5) return { exact: cased(random.pick(values)), ...more };
    if (roll < 0.8) return { prefix: cased(random.pick(heads)), ...more };
    if (roll < 0.9) return { suffix: cased(random.pick(['a', '/x', 'v', 'ics', '1'])), ...more };
    return { contains: cased(random.pick(['ns/a', ',', 'etri', '?', 'n'])), ...more };
  }

  value(depth: number): Json {
    const random = this.random;
    switch (random.below(depth > 0 ? 8 : 6)) {
      case 0:
        return { null_match: {} };
      case 1:
        return {
          double_match: random.chance(0.5) ? { exact: 3 } : { range: { start: 3, end: random.pick([3, 4]) } },
        };
      case 2:
        return { bool_match: random.chance(0.5) };
      case 3:
        return { present_match: random.chance(0.7) };
      case 6:
        return { list_match: { one_of: this.value(depth - 1) } };
      case 7:
        return { or_match: { value_matchers: [this.value(depth - 1), this.value(depth - 1)] } };
      default:
        return { string_match: this.text(['prod-1', 'x'], ['prod', 'x'], false) };
    }
  }

  times<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: this.random.between(least, most) }, make);
  }

  some(from: readonly string[], most: number): string[] {
    return this.random.some(from, 1, most);
  }
}
