import type { By } from '../../src/pdp/model/decision.ts';
import type { Operator, Pattern, Side, Tier, WrittenEffect } from '../../src/pdp/model/rule.ts';
import type { Trust } from '../../src/pdp/model/trust.ts';

/** The twin's own rules: what a reader of the policies would note down, one line for each matcher or pair. */

export interface TwinCondition {
  side: Side;
  key: string;
  op: Operator;
  values: Pattern[];
  floor: Trust | undefined;
}

export interface TwinRule {
  kind: string;
  by: By;
  /** Null: never enforced (SHD2). */
  enforced: Tier | null;
  shadow: Tier;
  conditions: TwinCondition[];
  /** [TAG1] Items of one list per mesh: a later policy is stronger, in one policy a later item. */
  list: { id: string; policy: number; item: number } | undefined;
}

/** [TIER1] Which tier a written effect decides in, enforced and with every shadow effect in force. */
export function tiersOf(effect: WrittenEffect, allow: Tier, deny: Tier): { enforced: Tier; shadow: Tier } {
  if (effect === 'allow') return { enforced: allow, shadow: allow };
  if (effect === 'deny') return { enforced: deny, shadow: deny };
  if (effect === 'allowWithShadowDeny') return { enforced: allow, shadow: deny };
  return { enforced: deny, shadow: allow };
}
