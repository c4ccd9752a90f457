import type { Request } from '../../src/pdp/model/request.ts';
import { isRequest } from './request.ts';
import type { TwinRule } from './rule.ts';
import type { Twin, TwinDecision } from './twin.ts';

/** What a run has met, so that it can be asserted that it met enough. */
export class Counts {
  requests = 0;
  /** Decided off their bytes too. */
  read = 0;
  allows = 0;
  /** Three or more rules match. */
  crowded = 0;
  /** Of all rules for the client's ID the one with the longest value fails on its path or method, and another decides. */
  fallbacks = 0;
  /** The shadow verdict differs, or has another rule. */
  shadows = 0;
  readonly tiers = new Map<string, number>();
  readonly reasons = new Map<string, number>();
  /** Of the rules that decide, and of those that match. */
  readonly operators = new Map<string, number>();
  readonly kinds = new Map<string, number>();
  /** What the deciding rule asks of its destination, and what of that is unknown. */
  readonly targets = new Map<string, number>();

  add(request: unknown, decision: TwinDecision, twin: Twin): void {
    this.requests++;
    if (decision.decision === 'allow') this.allows++;
    if (decision.decision !== decision.shadow || decision.by !== decision.shadowBy) this.shadows++;
    raise(this.tiers, String(decision.tier));
    raise(this.reasons, decision.reason);
    if (decision.tier === null || !isRequest(request)) return;
    this.addRules(request, decision, twin);
  }

  private addRules(request: Request, decision: TwinDecision, twin: Twin): void {
    const told = twin.tell(request);
    if (told.matching >= 3) this.crowded++;
    for (const one of told.weighed) {
      if (one.matches) for (const condition of one.rule.conditions) raise(this.operators, condition.op);
    }
    const decider = told.weighed.find((one) => one.rule.by === decision.by)!.rule;
    raise(
      this.kinds,
      decider.list === undefined ? `${decider.kind} ${decider.by.effect}` : `list ${decider.by.effect}`,
    );
    for (const condition of decider.conditions) {
      if (condition.side !== 'destination') continue;
      const key = condition.key.replace(/^(kuma:(?:tag|label)|k8s:label):.*/, '$1');
      const state = decision.keys?.includes(condition.key) ? 'unknown ' : '';
      raise(this.targets, `${state}${key} ${condition.op}`);
    }
    const own = lengthOf(decider);
    if (own === undefined) return;
    const longest = (rules: readonly TwinRule[]) =>
      Math.max(-1, ...rules.map((rule) => lengthOf(rule) ?? -1));
    const matching = told.weighed.filter((one) => one.matches).map((one) => one.rule);
    if (longest(told.failedOnParts) > longest(matching)) this.fallbacks++;
  }

  print(): string {
    const share = (count: number) => `${count} (${((100 * count) / this.requests).toFixed(1)} %)`;
    const all = (map: ReadonlyMap<string, number>) =>
      [...map]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, count]) => `${key} ${count}`)
        .join(', ');
    return [
      `requests ${this.requests}`,
      `decided off bytes too ${this.read}`,
      `allows ${share(this.allows)}`,
      `three or more rules match ${share(this.crowded)}`,
      `a longer prefix fails on its path or method ${share(this.fallbacks)}`,
      `shadow differs ${share(this.shadows)}`,
      `tiers: ${all(this.tiers)}`,
      `reasons: ${all(this.reasons)}`,
      `operators: ${all(this.operators)}`,
      `deciding: ${all(this.kinds)}`,
      `by destination: ${all(this.targets)}`,
    ].join('\n');
  }
}

function raise(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

/** Of its longest value for the client's ID. An exact value counts as the longest prefix there is. */
function lengthOf(rule: TwinRule): number | undefined {
  const condition = rule.conditions.find((one) => one.key === 'spiffe:id' && one.op === 'in');
  return condition?.values.reduce((longest, { value }) => Math.max(longest, value.length), 0);
}
