import { type Json, type Mutant, replaceAll, typed } from './planting.ts';

/** The name that says the mesh, however it is written. */
const ofMesh = /safe_regex|"prefix":"spiffe:/;

/** Mistakes with certificates of tags. */
export const tagMutants: readonly Mutant[] = [
  {
    name: 'negation without the mesh beside it',
    world: 'tags',
    plant: (filters) =>
      replaceAll(filters, (value, key) =>
        key === 'ids' && Array.isArray(value) && value.length > 2
          ? value.filter((one) => JSON.stringify(one).includes('not_id') || !ofMesh.test(JSON.stringify(one)))
          : value,
      ),
  },
  {
    name: 'negation forgotten',
    world: 'tags',
    plant: (filters) =>
      replaceAll(filters, (value, key) =>
        key === 'ids' && Array.isArray(value) && value.length > 2
          ? value.filter((one) => !JSON.stringify(one).includes('not_id'))
          : value,
      ),
  },
  {
    name: 'catch-all deny before the allows (tier 4 as tier 2)',
    world: 'tags',
    plant: (filters) => {
      const rules = typed(filters)['rules'] as Json;
      (rules['policies'] as Json)['4-all'] = {
        permissions: [{ any: true }],
        principals: [{ any: true }],
      } as unknown as Json;
    },
  },
  {
    name: 'names matched by principal_name, which DNS names and subjects meet too',
    world: 'tags',
    plant: (filters) =>
      replaceAll(filters, (value) => {
        const matcher = (value as { custom?: { typed_config?: { san_matcher?: { matcher?: unknown } } } })
          ?.custom?.typed_config?.san_matcher?.matcher;
        return matcher === undefined ? value : { authenticated: { principal_name: matcher } };
      }),
  },
  {
    name: 'second filter left out',
    world: 'tags',
    plant: (filters) => {
      filters.pop();
    },
  },
  {
    name: 'first filter left out',
    world: 'tags',
    plant: (filters) => {
      filters.shift();
    },
  },
  {
    name: 'deny filter allows what it names',
    world: 'tags',
    plant: (filters) => {
      (typed(filters)['rules'] as Json)['action'] = 'ALLOW' as Json;
    },
  },
  {
    name: 'shadow of the list in rank order of what is enforced',
    world: 'tags',
    plant: (filters) => {
      typed(filters)['shadow_rules'] = structuredClone(typed(filters, 1)['rules']) as Json;
    },
  },
];
