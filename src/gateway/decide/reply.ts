import type { Explanation } from '../../pdp/explain.ts';
import type { By, Decision, Reason } from '../../pdp/model/decision.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import { shown } from '../http/problem.ts';
import type { Snapshot } from '../service.ts';
import type { Answered } from './ask.ts';
import { messages } from './message.ts';

/** The text of a reply. Written by hand, since it is the larger part of a decision's time; a test holds it to `replyOf`. */
export function replyText(answered: Answered, detailed: boolean, explanation?: Explanation): string {
  const { decision, snapshot } = answered;
  const { reason, keys, age, violations } = decision;
  let text = detailed ? detailedHead(decision, snapshot) : headText(decision, 'null', 'null');
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

/** All that every decision has, but for its ID. */
function headText(decision: Decision, by: string, shadowBy: string): string {
  const { decision: effect, tier, shadow, reason, trust } = decision;
  return `{"decision":"${effect}","tier":${tier},"by":${by},"shadow":"${shadow}","shadowBy":${shadowBy},"reason":"${reason}","trust":${trust === null ? 'null' : `"${trust}"`},"snapshot":${quoted(decision.snapshot)}`;
}

function detailedHead(decision: Decision, snapshot: Snapshot): string {
  const { by, shadowBy, reason } = decision;
  const second = shadowBy === null ? undefined : textsOf(shadowBy, snapshot);
  if (by === null) return headText(decision, 'null', second?.text ?? 'null');
  if (second === undefined || by !== shadowBy || reason !== 'rule') {
    const { text, place } = textsOf(by, snapshot);
    return headText(decision, text + place, second?.text ?? 'null');
  }
  // By far the most: one rule decides in both worlds, and the trust is all that may differ.
  const trust = decision.trust ?? 'none';
  let head = second.heads[trust];
  if (head === undefined) {
    head = headText(decision, second.text + second.place, second.text);
    second.heads[trust] = head;
  }
  return head;
}

interface Texts {
  readonly text: string;
  /** Of the place where it is written, with a comma before it. */
  readonly place: string;
  /** Of decisions that this rule makes in both worlds, by their trust. */
  readonly heads: Partial<Record<Trust | 'none', string>>;
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
      heads: {},
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
