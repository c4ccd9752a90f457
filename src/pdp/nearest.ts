import type { Weighed } from './evaluate.ts';
import { byOf } from './explain-decision.ts';
import type { Inventory } from './model/inventory.ts';
import type { Channel, Request } from './model/request.ts';
import type { Rule, Side } from './model/rule.ts';
import { type Failing, nearestAllow } from './nearest-allow.ts';
import { type Attempt, attempt } from './nearest-attempt.ts';
import { guardMiss } from './nearest-guard.ts';
import { fixedBecause } from './nearest-keys.ts';
import type { Change, NearestMiss } from './nearest-miss.ts';
import { blockersOf, nameOf, type Slots } from './nearest-search.ts';
import { wordsOf } from './nearest-words.ts';
import { type View, viewOf } from './view.ts';

export type { Change, NearestMiss, Need, StandingDeny } from './nearest-miss.ts';

export function nearestMiss(
  rules: readonly Rule[],
  inventory: Inventory,
  request: Request,
  channel: Channel,
): NearestMiss | undefined {
  const view = viewOf(request, inventory, channel);
  if ('guard' in view) return guardMiss(view.guard, view.keys ?? [], request);
  const nearest = nearestAllow(rules, view);
  if (nearest === undefined) {
    return { possible: false, reason: 'no rule allows anything here', changes: [], needs: [], denies: [] };
  }
  const attempts = [attempt(rules, view, nearest.rule)];
  for (const section of view.sections ?? []) {
    const named = viewOf(naming(request, section), inventory, channel, 'seen');
    if (!('guard' in named)) attempts.push(attempt(rules, named, nearest.rule, section));
  }
  const best = attempts.reduce((a, b) => (rank(b) < rank(a) ? b : a));
  return { ...described(best, nearest.failing, nearest.rule) };
}

function naming(request: Request, inbound: string): Request {
  return { ...request, destination: { ...request.destination, inbound } };
}

/** Attempts that get there first, then those with less that is never proposed, then by the number of changes. */
function rank({ slots, needs, section }: Attempt): number {
  const changes = (slots?.size ?? 0) + (section === undefined ? 0 : 1);
  return (slots === undefined ? 1e6 : 0) + needs.length * 1e3 + changes;
}

function described(found: Attempt, failing: readonly Failing[], rule: Rule): NearestMiss {
  const { needs, section, exact } = found;
  const slots = found.slots ?? found.start;
  const named: Change[] =
    section === undefined
      ? []
      : [
          {
            side: 'destination',
            key: 'kuma:section',
            what: `the inbound must be named: ${section}`,
            to: section,
          },
        ];
  const changes = [...slots.values()].map((slot): Change => {
    const { side, key, witness } = slot;
    return {
      side,
      key,
      what: wordsOf(slot, found.problem.view),
      to: witness.is === 'value' ? (witness.values[0] as string) : null,
    };
  });
  const possible = found.slots !== undefined && needs.length === 0;
  const reason = possible ? undefined : reasonOf(found, rule);
  return {
    possible,
    ...(reason === undefined ? {} : { reason }),
    ...(exact || !possible ? {} : { approximate: true }),
    allow: { id: rule.id, by: byOf(rule), failing: failing.length },
    changes: [...named, ...changes.sort(bySideAndKey)],
    needs,
    denies: blockersOf(found.problem, found.start).map((deny) => ({
      id: deny.rule.id,
      by: byOf(deny.rule),
      what: wayAround(deny, slots, found),
    })),
  };
}

const sides: readonly Side[] = ['destination', 'source', 'request'];

function bySideAndKey(a: Change, b: Change): number {
  return sides.indexOf(a.side) - sides.indexOf(b.side) || (a.key < b.key ? -1 : 1);
}

function reasonOf({ needs, problem, start, slots }: Attempt, rule: Rule): string {
  if (needs.length > 0) return [...new Set(needs.map(({ what }) => what))].join(', ');
  const [deny] = slots === undefined ? blockersOf(problem, start) : [];
  if (deny === undefined) return `no change that may be proposed leads to ${rule.id}`;
  const fixed = fixedOf(deny, problem.view);
  return fixed === undefined
    ? `${deny.rule.id} forbids what ${rule.id} needs`
    : `${fixed} to get past ${deny.rule.id}`;
}

/** Why no condition of a deny can be made false, where none of them may be changed. */
function fixedOf({ rule }: Weighed, view: View): string | undefined {
  const reasons = rule.when
    .filter(({ side }) => side !== 'destination')
    .map(({ side, key }) => fixedBecause(side, key, view));
  if (reasons.some((reason) => reason === undefined)) return undefined;
  return reasons.length === 0 ? 'needs another destination' : [...new Set(reasons)].sort().join(', or ');
}

/** The change that makes the deny false; where the search found none, what stands against it. */
function wayAround(deny: Weighed, slots: Slots, { problem, slots: found }: Attempt): string {
  if (found !== undefined) {
    const slot = deny.rule.when
      .map((condition) => slots.get(nameOf(condition)))
      .find((one) =>
        one?.demands.some((demand) => demand.want === 'false' && deny.rule.when.includes(demand.condition)),
      );
    if (slot !== undefined) return wordsOf(slot, problem.view);
    return 'gives way to the other changes';
  }
  return fixedOf(deny, problem.view) ?? 'no change that may be proposed makes it give way';
}
