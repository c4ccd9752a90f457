import { Decider } from './decide.ts';
import { type Explanation, explain } from './explain.ts';
import { compile } from './index/compile.ts';
import type { Scan } from './index/scan.ts';
import type { Sizes } from './index/sizes.ts';
import { StringTableBuilder } from './index/strings.ts';
import { type Sheet, Written } from './index/written.ts';
import { keep } from './kept/keep.ts';
import { KeptRules } from './kept/rules.ts';
import { neverPresent } from './model/aliases.ts';
import { asRequest } from './model/as-request.ts';
import type { Decision } from './model/decision.ts';
import type { Inventory } from './model/inventory.ts';
import { type Channel, operatorChannel } from './model/request.ts';
import { noRequest } from './model/request-violations.ts';
import type { Rule } from './model/rule.ts';

export interface Engine {
  decide(request: unknown, channel?: Channel): Decision;
  /** Reads requests that `decide` takes as they are. */
  scan(sheet: Sheet): Scan;
  explain(request: unknown, channel?: Channel): Explanation;
  /** The values that rules compare a key with as they are, in order. */
  named(key: string): readonly string[];
  readonly snapshot: string;
  /** What all decisions so far went through: nodes, columns of tables, conditions without one. */
  visited(): number;
}

/** Rules come in policy order, then by position; an inventory and a snapshot's name go with them. */
export function createEngine(
  rules: readonly Rule[],
  inventory: Inventory,
  snapshot: string,
  sizes?: Sizes,
): Engine {
  const strings = new StringTableBuilder();
  const lowered = keep(rules, strings);
  const compiled = compile(rules, inventory.site.floor, neverPresent, 'few', strings, sizes);
  const kept = new KeptRules(lowered, compiled);
  const decider = new Decider(compiled, inventory, snapshot);
  const decide: Engine['decide'] = (request, channel) => decider.decide(request, channel);
  return {
    snapshot,
    decide,
    scan: (sheet) => decider.scan(sheet),
    named: (key) => decider.named(key),
    explain(asked, channel = operatorChannel) {
      try {
        const given = asked instanceof Written ? asked.objects : asked;
        const request = asRequest(given);
        if (request === undefined) return { decision: decide(given, channel), rules: [] };
        return explain(kept, inventory, snapshot, request, channel);
      } catch {
        return { decision: noRequest(asked, snapshot), rules: [] };
      }
    },
    visited: () => decider.visited,
  };
}
