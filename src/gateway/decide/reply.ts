import type { Explanation } from '../../pdp/explain.ts';
import { Alike } from '../../pdp/model/alike.ts';
import type { By, Decision, Reason } from '../../pdp/model/decision.ts';
import { shown } from '../http/problem.ts';
import { inOnePiece, remembered } from '../remembered.ts';
import type { Snapshot } from '../service.ts';
import type { Answered } from './ask.ts';
import { messages } from './message.ts';

/** What stands before the ID, which is all in which such replies differ, but for the lease. */
const detailedAlike = new Alike<string>();
const briefAlike = new Alike<string>();

/** The text of a reply. Written by hand, since it is the larger part of a decision's time; a test holds it to `replyOf`. */
export function replyText(answered: Answered, detailed: boolean, explanation?: Explanation): string {
  const { decision, id, refused, ttl } = answered;
  const whole = (): string => `${wholeText(answered, detailed, explanation)},"decisionId":"`;
  const often =
    explanation === undefined && refused.length === 0 && decision.age === undefined
      ? (detailed ? detailedAlike : briefAlike).of(decision, () => inOnePiece(whole()))
      : undefined;
  return (often ?? whole()) + id + endOf(ttl);
}

function wholeText(
  { decision, snapshot, refused }: Answered,
  detailed: boolean,
  explanation?: Explanation,
): string {
  const { by, shadowBy, reason, keys, age, violations } = decision;
  let text = detailed
    ? headText(decision, namedText(by, snapshot, true), namedText(shadowBy, snapshot, false))
    : headText(decision, 'null', 'null');
  if (detailed && keys !== undefined) text += `,"keys":${JSON.stringify(keys)}`;
  if (age !== undefined) text += `,"age":${age}`;
  if (violations !== undefined) text += `,"violations":${JSON.stringify(violations.map(shown))}`;
  if (decision.decision === 'deny') text += `,"message":${messageTexts[reason]}`;
  if (detailed && refused.length > 0) text += `,"refused":${JSON.stringify(refused.map(flat))}`;
  if (explanation !== undefined) text += `,"explanation":${JSON.stringify(explanation)}`;
  return text;
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

function namedText(by: By | null, snapshot: Snapshot, placed: boolean): string {
  if (by === null) return 'null';
  const { text, place } = textsOf(by, snapshot);
  return placed ? text + place : text;
}

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

const quoted = remembered((name: string) => JSON.stringify(name));
const endOf = remembered((ttl: number) => `","ttl":${ttl}}`);
