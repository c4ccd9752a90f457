import type { Json, JsonObject } from './json.ts';
import type { Filter, SizeReport } from './types.ts';

/** Bytes of the filters as JSON, how much is in them, and how deep it is nested. */
export function sizeOf(filters: readonly Filter[]): SizeReport {
  const bytes = Buffer.byteLength(JSON.stringify(filters));
  const counted = filters.map(({ typed_config }) => count(typed_config));
  return {
    bytes,
    matchers: counted.reduce((sum, one) => sum + one.matchers, 0),
    depth: Math.max(0, ...counted.map((one) => one.depth)),
  };
}

interface Counted {
  matchers: number;
  depth: number;
}

/** Fields that hold a matcher, predicate, principal or permission below another one. */
const nesting = new Set([
  'matcher',
  'shadow_matcher',
  'rules',
  'shadow_rules',
  'and_matcher',
  'or_matcher',
  'not_matcher',
  'and_ids',
  'or_ids',
  'not_id',
  'and_rules',
  'or_rules',
  'not_rule',
]);
const counting = new Set(['single_predicate', 'custom', 'url_path', 'header', 'authenticated', 'action']);

function count(value: Json): Counted {
  const total: Counted = { matchers: 0, depth: 0 };
  if (typeof value !== 'object') return total;
  if (Array.isArray(value)) {
    for (const one of value) add(total, count(one), 0);
    return total;
  }
  for (const [field, one] of Object.entries(value as JsonObject)) {
    if (field === 'typed_config') continue;
    if (counting.has(field) && typeof one === 'object') total.matchers++;
    add(total, count(one), nesting.has(field) ? 1 : 0);
  }
  return total;
}

function add(total: Counted, more: Counted, levels: number): void {
  total.matchers += more.matchers;
  total.depth = Math.max(total.depth, more.depth + levels);
}
