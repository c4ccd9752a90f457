import type { Explanation } from '../../pdp/explain.ts';
import type { By, Reason } from '../../pdp/model/decision.ts';
import { shown } from '../http/problem.ts';
import type { Snapshot } from '../service.ts';
import type { Answered } from './ask.ts';
import { messages } from './message.ts';

/** The text of a reply. Written by hand, since it is the larger part of a decision's time; a test holds it to `replyOf`. */
export function replyText(answered: Answered, detailed: boolean, explanation?: Explanation): string {
  const { decision, snapshot } = answered;
  const { by, shadowBy, reason, keys, age, violations } = decision;
  let text = `{"decision":"${decision.decision}","tier":${decision.tier},"by":${detailed ? byText(by) : 'null'}`;
  if (detailed && by !== null) text += placeText(by, snapshot);
  text += `,"shadow":"${decision.shadow}","shadowBy":${detailed ? byText(shadowBy) : 'null'},"reason":"${reason}"`;
  text += decision.trust === null ? ',"trust":null' : `,"trust":"${decision.trust}"`;
  text += `,"snapshot":${quoted(decision.snapshot)}`;
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

/** One object for each rule of a snapshot, so that its text is made once; it goes with the snapshot. */
const byTexts = new WeakMap<By, string>();
const placeTexts = new WeakMap<By, string>();

function byText(by: By | null): string {
  if (by === null) return 'null';
  let text = byTexts.get(by);
  if (text === undefined) {
    text = JSON.stringify(by);
    byTexts.set(by, text);
  }
  return text;
}

function placeText(by: By, snapshot: Snapshot): string {
  let text = placeTexts.get(by);
  if (text === undefined) {
    const place = snapshot.placeOf(by);
    text = place === undefined ? '' : `,"place":${JSON.stringify(place)}`;
    placeTexts.set(by, text);
  }
  return text;
}

let [lastName, lastQuoted] = ['', '""'];

/** The name of a snapshot is that of the last one, but after a reload. */
function quoted(name: string): string {
  if (name !== lastName) [lastName, lastQuoted] = [name, JSON.stringify(name)];
  return lastQuoted;
}
