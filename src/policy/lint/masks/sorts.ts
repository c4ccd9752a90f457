import type { Origin, Rule } from '../../../pdp/model/rule.ts';

/** Policies that are read together, in the order in which they are told: within one sort the papers say who goes first. */
export const sorts = ['privileged', 'access', 'ids', 'tags'] as const;
export type Sort = (typeof sorts)[number];

export function sortOf({ origin, list }: { readonly origin: Origin; readonly list?: unknown }): Sort {
  if (origin.kind === 'PrivilegedAccessPolicy') return 'privileged';
  if (origin.kind === 'AccessPolicy') return 'access';
  return list === undefined ? 'ids' : 'tags';
}

/** The rules of one sort, as if there were no others. */
export function rulesOfSort(rules: readonly Rule[], sort: Sort): readonly Rule[] {
  return rules.filter((rule) => sortOf(rule) === sort);
}

export const sortWords: Readonly<Record<Sort, string>> = {
  privileged: 'PrivilegedAccessPolicy',
  access: 'AccessPolicy',
  ids: 'by SPIFFE ID',
  tags: 'by tags',
};
