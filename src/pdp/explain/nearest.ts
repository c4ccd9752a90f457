import type { Inbound, Inventory } from '../model/inventory.ts';
import { PatternWork } from '../model/pattern-work.ts';
import type { Channel, Request } from '../model/request.ts';
import type { Rule } from '../model/rule.ts';
import type { NearestMiss } from './miss.ts';
import { type Attempt, Situation } from './situation.ts';
import { failingOf } from './verdict.ts';

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

/**
 * The request as it is and as it would be: [DST5] with each section, where none is given, [SRC1] with something of who
 * asks, where nothing is. Then a set that is complete says of all else that it is absent.
 */
function* situationsOf(here: Situation): Generator<Situation> {
  yield here;
  const { request, view } = here;
  if (!view.identified) {
    const source = { ...request.source, attributes: { ...request.source?.attributes } };
    const there = here.giving({ ...request, source }, { identity: true });
    if (there.view.identified) yield there;
  }
  const { destination } = request;
  const inbounds = view.destination?.inbounds ?? [];
  if (destination.dataplane === undefined || inbounds.length < 2) return;
  for (const inbound of inbounds) {
    const section = nameOf(inbound);
    yield here.giving({ ...request, destination: { ...destination, inbound: section } }, { section });
  }
}

function nameOf({ name, port }: Inbound): string {
  return name ?? String(port);
}
