import type { Inbound, Inventory } from '../model/inventory.ts';
import { PatternWork } from '../model/pattern-work.ts';
import type { Channel, Request } from '../model/request.ts';
import type { Rule } from '../model/rule.ts';
import { type Attempt, failingOf, type NearestMiss, Situation } from './situation.ts';

/** Comparisons of patterns for one answer: a bound for rules of many values. */
const mostComparisons = 5_000_000;

/** Undefined if no allow governs the destination. */
export function nearestMiss(
  rules: readonly Rule[],
  inventory: Inventory,
  request: Request,
  channel: Channel,
  work = new PatternWork(mostComparisons),
): NearestMiss | undefined {
  const here = new Situation(rules, inventory, request, channel, work);
  const allow = here.nearestAllow();
  if (allow === undefined) return undefined;
  const failing = failingOf(allow);
  let best: Attempt | undefined;
  for (const situation of situationsOf(here)) {
    if (work.done && best !== undefined) break;
    const attempt = situation.attempt(allow.rule);
    if (attempt !== undefined && (best === undefined || attempt.cost < best.cost)) best = attempt;
  }
  if (best === undefined) return undefined;
  const miss = { ...best.miss, allow: { ...best.miss.allow, failing } };
  return work.done ? { ...miss, approximate: true } : miss;
}

/** [DST5] The request as it is and, where the section is not given, as it would be with each of them. */
function* situationsOf(here: Situation): Generator<Situation> {
  yield here;
  const { request, view } = here;
  const { destination } = request;
  const inbounds = view.destination?.inbounds ?? [];
  if (destination.dataplane === undefined || inbounds.length < 2) return;
  for (const inbound of inbounds) {
    yield here.at({ ...destination, inbound: nameOf(inbound) }, nameOf(inbound));
  }
}

function nameOf({ name, port }: Inbound): string {
  return name ?? String(port);
}
