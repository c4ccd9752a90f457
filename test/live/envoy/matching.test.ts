import { describe, expect } from 'vitest';
import * as build from '../../envoy/interpreter/build.ts';
import { checkFilter } from '../../envoy/proto/check.ts';
import { live } from '../../live.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { bootstrapOf } from '../../support/envoy/listeners.ts';
import { envoyMissing, validate } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { asFilter, bothSay, labOf } from './facts.ts';

/** How matchers are walked, and what the validator lets pass. */

type Json = Readonly<Record<string, unknown>>;
const allow = (name: string) => build.action(name, 'ALLOW');
const deny = (name: string) => build.action(name, 'DENY');
const uri = (value: Json) => build.single(build.uri, value);
const path = (value: Json) => build.single(build.header(':path'), value);
const get = build.single(build.header(':method'), { exact: 'GET' });
const nested = (...more: Parameters<typeof build.list>) => ({ matcher: build.list(...more) });
const prefixes = (map: Json, otherwise?: Json) =>
  build.http({ matcher: build.tree('prefix', build.uri, map, otherwise) });

const filters = {
  longest: prefixes({ 'spiffe://td/': allow('short'), 'spiffe://td/ns/a': deny('long') }, deny('end')),
  backtracking: prefixes(
    {
      '': nested([[path({ prefix: '/everybody' }), allow('everybody')]]),
      'spiffe://td/ns/': nested([[path({ prefix: '/health' }), allow('namespace')]]),
      'spiffe://td/ns/a': nested([[path({ prefix: '/metrics' }), allow('a')]]),
    },
    deny('end'),
  ),
  stopped: prefixes(
    {
      'spiffe://td/ns/': allow('short'),
      'spiffe://td/ns/a': nested([[path({ prefix: '/metrics' }), allow('long')]], deny('nested')),
    },
    deny('end'),
  ),
  exact: build.http({
    matcher: build.tree(
      'exact',
      build.uri,
      { 'spiffe://td/ns/a/b': nested([[get, allow('exact')]]) },
      deny('end'),
    ),
  }),
  first: build.http({
    matcher: build.list([
      [uri({ prefix: 'spiffe://td/ns' }), nested([[path({ exact: '/none' }), allow('inner')]])],
      [uri({ prefix: 'spiffe://td/ns/' }), allow('second')],
      [uri({ prefix: 'spiffe://td/ns/a' }), deny('third')],
    ]),
  }),
  nothing: build.http({}),
  'empty-matcher': build.http({ matcher: {} }),
  'no-otherwise': build.http({ matcher: build.list([[path({ exact: '/x' }), allow('x')]]) }),
  'matcher-and-rules': build.http({
    matcher: build.list([[path({ exact: '/x' }), allow('x')]], deny('end')),
    rules: build.rules({ all: [build.any, build.any] }),
  }),
  'action-unsaid': build.http({ matcher: build.list([[get, build.action('unsaid')]], deny('end')) }),
} satisfies Record<string, Json>;

const listenerOf = (filter: Json, trust: Json, name = 'l') => ({
  name,
  kind: 'http' as const,
  filters: [asFilter(filter)],
  trust,
});
const lab = labOf(async () => {
  const trust = spiffeBundles(await authority('td'));
  return Object.entries(filters).map(([name, filter]) => listenerOf(filter, trust, name));
});
async function says(name: keyof typeof filters, to: string, from = 'spiffe://td/ns/a/b', method = 'GET') {
  const certificate = await svid(await authority('td'), from);
  return bothSay(await lab(), name, filters[name], { certificate }, { path: to, method });
}

describe('a map of prefixes', () => {
  live(envoyMissing, '[FACT9] gives the longest', async () => {
    expect(await says('longest', '/')).toBe('deny long');
    expect(await says('longest', '/', 'spiffe://td/ns/b')).toBe('allow short');
  });
  live(
    envoyMissing,
    '[FACT9] goes back to shorter ones, and to "", where what is nested comes to nothing',
    async () => {
      expect(await says('backtracking', '/metrics')).toBe('allow a');
      expect(await says('backtracking', '/health')).toBe('allow namespace');
      expect(await says('backtracking', '/everybody')).toBe('allow everybody');
      expect(await says('backtracking', '/other')).toBe('deny end');
      expect(await says('backtracking', '/health', 'spiffe://td/x')).toBe('deny end');
    },
  );
  live(envoyMissing, '[FACT9] does not where what is nested has an end of its own', async () => {
    expect(await says('stopped', '/metrics')).toBe('allow long');
    expect(await says('stopped', '/other')).toBe('deny nested');
    expect(await says('stopped', '/other', 'spiffe://td/ns/b')).toBe('allow short');
  });
  live(envoyMissing, '[FACT9] a map of exact keys goes to its end', async () => {
    expect(await says('exact', '/')).toBe('allow exact');
    expect(await says('exact', '/', 'spiffe://td/ns/a/b', 'POST')).toBe('deny end');
    expect(await says('exact', '/', 'spiffe://td/ns/a')).toBe('deny end');
  });
});

describe('a list', () => {
  live(envoyMissing, '[FACT10] the first entry that comes to anything decides', async () => {
    expect(await says('first', '/')).toBe('allow second');
    expect(await says('first', '/none')).toBe('allow inner');
    expect(await says('first', '/', 'spiffe://td/x')).toBe('deny');
  });
  live(envoyMissing, '[FACT10] what is not said', async () => {
    expect(await says('nothing', '/')).toBe('allow');
    expect(await says('empty-matcher', '/')).toBe('deny');
    expect(await says('no-otherwise', '/')).toBe('deny');
    expect(await says('matcher-and-rules', '/')).toBe('deny end');
    expect(await says('action-unsaid', '/')).toBe('allow unsaid');
  });
});

/** What is refused, and what the definitions alone say of it. */
const matched = (predicate: Json) => build.http({ matcher: build.list([[predicate, allow('a')]]) });
const deep = (levels: number): Json => (levels === 0 ? get : build.not(deep(levels - 1)));
const refused: Readonly<Record<string, readonly [filter: Json, byDefinitions: boolean]>> = {
  'one alternative': [matched({ or_matcher: { predicate: [get] } }), true],
  'one of all': [matched({ and_matcher: { predicate: [get] } }), true],
  'an empty list': [build.http({ matcher: { matcher_list: { matchers: [] } } }), true],
  'an empty map': [prefixes({}), true],
  'an empty prefix': [matched(uri({ prefix: '' })), true],
  'a regex without its engine': [matched(uri({ safe_regex: { regex: 'a' } })), true],
  'an action without a name': [build.http({ matcher: build.list([[get, build.action('')]]) }), true],
  'a misspelt field': [build.http({ matchers: {} }), true],
  'layer 7 on a connection': [build.network({ matcher: build.list([[get, allow('a')]]) }), false],
  'ninety levels': [matched(deep(90)), false],
};
const accepted: Readonly<Record<string, Json>> = {
  'forty levels': matched(deep(38)),
  'the key ""': prefixes({ '': allow('a') }),
};
const verdictOf = async (filter: Json) => {
  const home = await authority('td');
  const own = await svid(home, 'spiffe://td/envoy');
  const kind = String(filter['name']) === 'RBAC' && 'stat_prefix' in (filter['typed_config'] as Json);
  const spec = {
    ...listenerOf(filter, spiffeBundles(home)),
    kind: kind ? ('network' as const) : ('http' as const),
  };
  return validate((folder) => bootstrapOf([spec], folder, own));
};

describe('the validator', () => {
  for (const [name, [filter, byDefinitions]] of Object.entries(refused)) {
    live(envoyMissing, `[FACT11] refuses ${name}`, async () => {
      expect(await verdictOf(filter)).toBeDefined();
      expect(checkFilter(filter).length > 0).toBe(byDefinitions);
    });
  }
  for (const [name, filter] of Object.entries(accepted)) {
    live(envoyMissing, `[FACT11] accepts ${name}`, async () => {
      expect(await verdictOf(filter)).toBeUndefined();
      expect(checkFilter(filter)).toEqual([]);
    });
  }
  live(envoyMissing, '[FACT11] accepts what never matches: a text compared with metadata', async () => {
    const trap = matched(build.single(build.metadata('a'), { exact: 'b' }));
    expect(await verdictOf(trap)).toBeUndefined();
  });
});
