import type { Explanation } from '../../pdp/explain.ts';
import type { By, Reason } from '../../pdp/model/decision.ts';
import { shown } from '../http/problem.ts';
import type { Snapshot } from '../service.ts';
import type { Answered } from './ask.ts';
import { messages } from './message.ts';

/** The text of a reply. Written by hand, since it is the larger part of a decision's time; a test holds it to `replyOf`. */
export function replyText(answered: Answered, detailed: boolean, explanation?: Explanation): string {
  const { decision, snapshot } = answered;
  const { by, shadowBy, reason, trust, keys, age, violations } = decision;
  let [first, second] = ['null', 'null'];
  if (detailed && by !== null) {
    const { text: own, place } = textsOf(by, snapshot);
    first = own + place;
    if (shadowBy === by) second = own;
  }
  if (detailed && shadowBy !== null && shadowBy !== by) second = textsOf(shadowBy, snapshot).text;
  let text = `{"decision":"${decision.decision}","tier":${decision.tier},"by":${first},"shadow":"${decision.shadow}","shadowBy":${second},"reason":"${reason}","trust":${trust === null ? 'null' : `"${trust}"`},"snapshot":${quoted(decision.snapshot)}`;
  if (detailed && keys !== undefined) text += `,"keys":${JSON.stringify(keys)}`;
  if (age !== undefined) text += `,"age":${age}`;
  if (violations !== undefined) text += `,"violations":${JSON.stringify(violations.map(shown))}`;
  if (decision.decision === 'deny') text += `,"message":${messageTexts[reason]}`;
  if (detailed && answered.refused.length > 0)
    text += `,"refused":${JSON.stringify(answered.refused.map(flat))}`;
  if (explanation !== undefined) text += `,"explanation":${JSON.stringify(explanation)}`;
  return `${text},"decisionId":"${answered.id}","ttl":${answered.ttl}}`;
}

function flat({ evidence, refusal }: Answered['refused'][number]): object {
  return { evidence, ...refusal };
}

const messageTexts = Object.fromEntries(
  Object.entries(messages).map(([reason, message]) => [reason, JSON.stringify(message)]),
) as Record<Reason, string>;

interface Texts {
  readonly text: string;
  /** Of the place where it is written, with a comma before it. */
  readonly place: string;
}

/** One object for each rule of a snapshot, so that its texts are made once; they go with the snapshot. */
const texts = new WeakMap<By, Texts>();

function textsOf(by: By, snapshot: Snapshot): Texts {
  let found = texts.get(by);
  if (found === undefined) {
    const place = snapshot.placeOf(by);
    found = {
      text: JSON.stringify(by),
      place: place === undefined ? '' : `,"place":${JSON.stringify(place)}`,
    };
    texts.set(by, found);
  }
  return found;
}

let [lastName, lastQuoted] = ['', '""'];

/** The name of a snapshot is that of the last one, but after a reload. */
function quoted(name: string): string {
  if (name !== lastName) [lastName, lastQuoted] = [name, JSON.stringify(name)];
  return lastQuoted;
}
