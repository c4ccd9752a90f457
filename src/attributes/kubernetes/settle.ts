import type { Violation } from '../../pdp/model/violation.ts';
import { type Group, groupsOf, halvesOf, isOfOne } from './groups.ts';
import { type BrokenObject, type Entry, type StandIn, Standing } from './standing.ts';
import { type ResourceDocument, writtenOf } from './written.ts';

/** What is wrong with documents, taken together. Those of others may be among what it looks at. */
export type Check = (documents: readonly ResourceDocument[]) => readonly Violation[];

export interface Settled {
  readonly documents: readonly ResourceDocument[];
  readonly broken: readonly BrokenObject[];
  /** Whether the documents are right, taken together. If not they are as the API server has them, and refused whole. */
  readonly sound: boolean;
}

/** Each look is at everything. */
const mostRounds = 4;
const mostTries = 32;

/**
 * A set that is right, nearest to what the API server has: what is wrong gives way to what it last was, and what
 * changed gives way before what is in force.
 */
export function settle(entries: Iterable<Entry>, check: Check, standIn: StandIn): Settled {
  const all = [...entries].map((entry) => new Standing(entry, standIn));
  let seen = lookAt(all, check);
  for (let round = 0; round < mostRounds; round++) {
    const yielding = [...seen.wrong.keys()].filter((one) => one.hasOther && !one.hasYielded);
    if (yielding.length === 0) break;
    for (const one of yielding) one.yield(seen.wrong.get(one) ?? []);
    seen = lookAt(all, check);
  }
  if (seen.found.size > 0) seen = takeIn(all, seen, check, standIn);
  if (seen.found.size > 0) seen = giveUp(all, seen, check, standIn);
  const { documents, found, wrong } = seen;
  const sound = found.size === 0;
  if (sound) for (const one of all) one.accept();
  return { documents, broken: all.flatMap((one) => one.broken(wrong.get(one))), sound };
}

interface Look {
  readonly documents: readonly ResourceDocument[];
  /** By the name of the document. */
  readonly found: ReadonlyMap<string, readonly Violation[]>;
  readonly wrong: ReadonlyMap<Standing, readonly Violation[]>;
}

function lookAt(all: readonly Standing[], check: Check): Look {
  // The first one that says something has it; so those that are in force come first.
  const order = all.toSorted(
    (a, b) =>
      Number(b.isInForce) - Number(a.isInForce) || a.created - b.created || (a.name < b.name ? -1 : 1),
  );
  const written = writtenOf(order);
  const documents = written.map(({ document }) => document);
  const found = Map.groupBy(check(documents), ({ place }) => place?.file ?? '');
  const wrong = new Map<Standing, readonly Violation[]>();
  for (const { document, of } of written)
    for (const one of of) if (found.has(document.file)) wrong.set(one, found.get(document.file) ?? []);
  return { documents, found, wrong };
}

/**
 * Something is wrong with what is in force, and what did that is not what is complained of. So everything that changed
 * goes back, and is taken in again by and by: a group with which nothing more is wrong as a whole, others in parts.
 * Parts of one namespace wait for those of all, so that nobody uses up the tries of others. What has not been tried in
 * the end stays out.
 */
function takeIn(all: readonly Standing[], stuck: Look, check: Check, standIn: StandIn): Look {
  // With a mistake of its own it stays out; not where what it last was is complained of as well.
  const changed = all.filter((one) => one.hasOther && (!one.hasYielded || stuck.wrong.has(one)));
  if (changed.length === 0) return stuck;
  const said = [...stuck.found.values()].flat();
  for (const one of changed) one.yield(stuck.wrong.get(one) ?? said);
  let best = lookAt(all, check);
  const queue = [...groupsOf(changed, standIn)];
  const blamedBefore = new Set<Standing>();
  for (let tries = 0; tries < mostTries; tries++) {
    const group = queue.shift();
    if (group === undefined) break;
    const { members, isOperators } = group;
    for (const one of members) one.resume();
    const seen = lookAt(all, check);
    const more = [...seen.found].flatMap(([name, found]) => (best.found.has(name) ? [] : found));
    if (more.length === 0) {
      best = seen;
      continue;
    }
    for (const one of members) one.yield(seen.wrong.get(one) ?? more);
    const parts = partsOf(group, seen, blamedBefore);
    if (isOperators) queue.unshift(...parts);
    else queue.push(...parts);
  }
  return best;
}

/**
 * Without any change something is still wrong, since what made it right was deleted. What is not the operator's is then
 * as if it had never been right: nobody stops everybody by taking away what is his.
 */
function giveUp(all: readonly Standing[], wrong: Look, check: Check, standIn: StandIn): Look {
  let seen = wrong;
  for (let round = 0; round < mostRounds && seen.found.size > 0; round++) {
    const given = [...seen.wrong].filter(([one, why]) => one.giveUp(why, standIn));
    if (given.length === 0) break;
    seen = lookAt(all, check);
  }
  return seen;
}

/** What is tried of a group with which something is wrong. */
function partsOf(group: Group, { wrong }: Look, blamedBefore: Set<Standing>): readonly Group[] {
  const blamed = group.members.filter((one) => wrong.has(one));
  if (blamed.length === 0) return halvesOf(group);
  const rest = { ...group, members: group.members.filter((one) => !wrong.has(one)) };
  // What is complained of may be right without the others.
  const again = blamed.filter((one) => group.members.length > 1 && !blamedBefore.has(one));
  for (const one of again) blamedBefore.add(one);
  return [
    ...(isOfOne(rest) ? [rest] : halvesOf(rest)),
    ...(again.length === 1 ? [{ ...group, members: again }] : halvesOf({ ...group, members: again })),
  ].filter(({ members }) => members.length > 0);
}
