import type { Explanation } from '../../pdp/explain.ts';
import { type By, type Decision, type Reason, refusal } from '../../pdp/model/decision.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import { shown } from '../http/problem.ts';
import type { Snapshot } from '../service.ts';
import type { Answered } from './ask.ts';
import { messages } from './message.ts';

/** The text of a reply. Written by hand, since it is the larger part of a decision's time; a test holds it to `replyOf`. */
export function replyText(answered: Answered, detailed: boolean, explanation?: Explanation): string {
  const often = explanation === undefined ? oftenText(answered, detailed) : undefined;
  const text = often ?? `${wholeText(answered, detailed, explanation)},"decisionId":"`;
  return text + answered.id + endOf(answered.ttl);
}

type Told = Pick<Answered, 'decision' | 'snapshot' | 'refused'>;

function wholeText(
  { decision, snapshot, refused }: Told,
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

/**
 * By far the most: nothing decides, or one rule does in both worlds, and the ID is all that differs from one such
 * reply to the next. What is before it is one piece then, and kept.
 */
function oftenText({ decision, snapshot, refused }: Told, detailed: boolean): string | undefined {
  const { by, shadowBy, reason, keys, age } = decision;
  if (by !== shadowBy || keys !== undefined || age !== undefined || refused.length > 0) return undefined;
  if (by === null) return reason === 'default' ? nobodys(decision.snapshot) : undefined;
  if (reason !== 'rule' || !detailed) return undefined;
  const { heads } = textsOf(by, snapshot);
  const trust = decision.trust ?? 'none';
  let head = heads[trust];
  if (head === undefined) {
    head = `${wholeText({ decision, snapshot, refused }, true)},"decisionId":"`;
    heads[trust] = head;
  }
  return head;
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
  /** Of replies, up to their ID, where this rule decides in both worlds, by their trust. */
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

/** Of a value that seldom changes: the text that was made of it last. */
function remembered<T>(make: (value: T) => string): (value: T) => string {
  let last: { readonly value: T; readonly text: string } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, text: make(value) };
    return last.text;
  };
}

const quoted = remembered((name: string) => JSON.stringify(name));
const endOf = remembered((ttl: number) => `","ttl":${ttl}}`);
/** Where no rule speaks in either world. */
const nobodys = remembered((snapshot: string) => {
  const decision = refusal('default', snapshot);
  return `${headText(decision, 'null', 'null')},"message":${messageTexts.default},"decisionId":"`;
});
