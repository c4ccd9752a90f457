import type { Cursor, Fields } from './cursor.ts';
import type { Result, Seen, Verdict } from './evidence.ts';
import type { FilterKind } from './inputs.ts';
import { readMatcher } from './matcher.ts';
import { tooDeep } from './nesting.ts';
import { readRules } from './rules.ts';

const filterTypes = {
  http: 'envoy.extensions.filters.http.rbac.v3.RBAC',
  network: 'envoy.extensions.filters.network.rbac.v3.RBAC',
} as const;

export interface RbacFilter {
  readonly kind: FilterKind;
  /** Where its counters stand; both empty unless the configuration says otherwise. */
  readonly statPrefix: string;
  readonly shadowStatPrefix: string;
  readonly hasShadow: boolean;
  /** Whether it has rules at all; one without lets everything pass, and counts nothing. */
  readonly enforces: boolean;
  readonly decide: (seen: Seen) => Verdict;
}

type Engine = (seen: Seen) => Result;

const engines = ['rules', 'matcher', 'shadow_rules', 'shadow_matcher', 'shadow_rules_stat_prefix'];
const own = {
  http: ['rules_stat_prefix', 'track_per_rule_stats'],
  network: ['stat_prefix', 'enforcement_type', 'delay_deny'],
};

export function readFilter(cursor: Cursor): RbacFilter | undefined {
  const deep = tooDeep(cursor.value);
  if (deep !== undefined) return cursor.refuse('limit', deep);
  const extension = cursor.extension();
  if (extension === undefined) return undefined;
  const { type, config } = extension;
  if (type === filterTypes.http) return readRbacConfig(config, 'http');
  if (type === filterTypes.network) return readRbacConfig(config, 'network');
  return config.refuse('unknown-kind', `got ${type}, want an RBAC filter`);
}

/** The configuration itself, as a filter has it, and a route for an HTTP filter. */
export function readRbacConfig(config: Cursor, kind: FilterKind): RbacFilter | undefined {
  const fields = config.fields(...engines, ...own[kind]);
  if (fields === undefined) return undefined;
  const prefix = fields.get(kind === 'http' ? 'rules_stat_prefix' : 'stat_prefix');
  if (kind === 'network' && !prefix?.text(1)) return config.refuse('missing', '"stat_prefix" is missing');
  const enforced = readEngine(fields, 'rules', 'matcher', kind);
  const shadow = readEngine(fields, 'shadow_rules', 'shadow_matcher', kind);
  if (enforced === undefined || shadow === undefined) return undefined;
  return {
    kind,
    statPrefix: prefix?.text() ?? '',
    shadowStatPrefix: fields.get('shadow_rules_stat_prefix')?.text() ?? '',
    hasShadow: shadow !== 'none',
    enforces: enforced !== 'none',
    decide: (seen) => ({
      // Without rules there is nothing to enforce.
      enforced: enforced === 'none' ? { action: 'ALLOW' } : enforced(seen),
      ...(shadow === 'none' ? {} : { shadow: shadow(seen) }),
    }),
  };
}

/** Beside a matcher, rules are ignored, with no more than a warning in Envoy's log. */
function readEngine(
  fields: Fields,
  rules: string,
  matcher: string,
  kind: FilterKind,
): Engine | 'none' | undefined {
  const legacy = fields.get(rules);
  const tree = fields.get(matcher);
  if (tree === undefined) return legacy === undefined ? 'none' : readRules(legacy, kind);
  if (legacy !== undefined && readRules(legacy, kind) === undefined) return undefined;
  const match = readMatcher(tree, kind);
  return match && ((seen) => match(seen) ?? { action: 'DENY' });
}
