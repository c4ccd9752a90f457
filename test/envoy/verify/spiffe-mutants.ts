import {
  actions,
  drop,
  entriesOf,
  isPolicy,
  type Json,
  kindOf,
  type Mutant,
  replaceAll,
  texts,
  typed,
  without,
} from './planting.ts';
import { valid } from './spiffe-world.ts';

/** Mistakes with SPIFFE IDs. */
export const spiffeMutants: readonly Mutant[] = [
  { name: 'privileged deny dropped', world: 'list', plant: drop('banned') },
  {
    name: 'deny after allow',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters);
      const at = entries.findIndex((entry) => kindOf(entry) === 'deny');
      entries.push(...entries.splice(at, 1));
    },
  },
  {
    name: 'deny exported as allow',
    world: 'list',
    plant: actions(isPolicy, (action) => ({ ...action, action: 'ALLOW' })),
  },
  {
    name: 'action left out, so that a deny allows',
    world: 'list',
    plant: actions(
      (name) => name.includes('banned'),
      ({ action: _, ...rest }: { action?: unknown }) => rest,
    ),
  },
  {
    name: 'query form of an exact path dropped',
    world: 'list',
    plant: without((one) => one.includes('"prefix":"/metrics/secret?"')),
  },
  {
    name: 'query form of a path prefix dropped',
    world: 'list',
    plant: without((one) => one.includes('"prefix":"/metrics?"')),
  },
  { name: 'path prefix without its slash', world: 'list', plant: texts('/metrics/', '/metrics') },
  {
    name: 'identity prefix without its slash',
    world: 'list',
    plant: texts('spiffe://td/ns/a/', 'spiffe://td/ns/a'),
  },
  {
    name: 'segment itself not matched',
    world: 'trees',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'spiffe://td/ns/a'))
          return value;
        const { 'spiffe://td/ns/a': _, ...rest } = value as Record<string, unknown>;
        return rest;
      }),
  },
  { name: 'guard of the source missing', world: 'list', plant: drop('invalid-source') },
  { name: 'guard of the path missing', world: 'list', plant: drop('ambiguous-path') },
  {
    name: 'guard of the source after the rules',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters);
      entries.push(entries.shift() as Json);
    },
  },
  { name: 'guard missing in the shadow', world: 'list', plant: drop('invalid-source', ['shadow_matcher']) },
  { name: 'guard not anchored to a whole name', world: 'list', plant: texts(valid, `${valid}.*`) },
  {
    name: 'guard looks into the query',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        if (typeof value !== 'string') return value;
        if (value.startsWith('[^/?]')) return '[^/].*|.*%2[fF].*';
        return value.endsWith('(?:\\?[\\s\\S]*)?') ? value.replace('(?:\\?[\\s\\S]*)?', '') : value;
      }),
  },
  {
    name: 'a nested on_no_match that stops the search',
    world: 'trees',
    plant: (filters) =>
      replaceAll(filters, (value, key) => {
        const matcher = value as { matcher_list?: unknown; on_no_match?: unknown };
        if (key !== 'matcher' || matcher.matcher_list === undefined || matcher.on_no_match !== undefined)
          return value;
        return { ...matcher, on_no_match: { action: denyAction() } };
      }),
  },
  {
    name: 'shadow merged away',
    world: 'list',
    plant: (filters) => {
      typed(filters)['shadow_matcher'] = structuredClone(typed(filters)['matcher']) as Json;
    },
  },
  {
    name: 'shadow left out',
    world: 'list',
    plant: (filters) => {
      delete typed(filters)['shadow_matcher'];
    },
  },
  {
    name: 'shadow enforced',
    world: 'list',
    plant: (filters) => {
      typed(filters)['matcher'] = structuredClone(typed(filters)['shadow_matcher']) as Json;
    },
  },
  {
    name: 'shadow as in the papers: denials only',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters, 'shadow_matcher');
      entries.splice(0, entries.length, ...entries.filter((entry) => kindOf(entry) !== 'allow'));
    },
  },
  {
    name: 'no final deny, and the last rule is the default',
    world: 'list',
    plant: (filters) => {
      (typed(filters)['matcher'] as Json)['on_no_match'] = {
        action: {
          name: 'a',
          typed_config: { '@type': 'type.googleapis.com/envoy.config.rbac.v3.Action', name: 'default' },
        },
      } as unknown as Json;
    },
  },
  { name: 'method forgotten', world: 'list', plant: without((one) => one.includes('":method"')) },
  {
    name: 'server name forgotten',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value, key) => {
        if (key !== 'predicate' || !Array.isArray(value) || !JSON.stringify(value).includes('admin.example'))
          return value;
        return value.length === 2 && !JSON.stringify(value[0]).includes('_matcher')
          ? [value[0], value[0]]
          : value;
      }),
  },
  {
    name: 'and written as or',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { and_matcher, ...rest } = value as { and_matcher?: unknown };
        return typeof value === 'object' && value !== null && and_matcher !== undefined
          ? { ...rest, or_matcher: and_matcher }
          : value;
      }),
  },
  {
    name: 'privileged deny below the allows',
    world: 'list',
    plant: (filters) => {
      const entries = entriesOf(filters);
      const at = entries.findIndex((entry) => kindOf(entry) === 'banned');
      entries.push(...entries.splice(at, 1));
    },
  },
  {
    name: 'exact exported as prefix',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { exact } = value as { exact?: unknown };
        return typeof value === 'object' && value !== null && exact === 'spiffe://td/ns/a/sa/bad'
          ? { prefix: exact }
          : value;
      }),
  },
  {
    name: 'case ignored',
    world: 'list',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const { exact } = value as { exact?: unknown };
        return typeof value === 'object' && value !== null && exact === '/metrics'
          ? { exact, ignore_case: true }
          : value;
      }),
  },
];

function denyAction() {
  return {
    name: 'a',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.config.rbac.v3.Action',
      name: 'stop',
      action: 'DENY',
    },
  };
}
