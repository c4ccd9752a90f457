import { Alike } from '../../pdp/model/alike.ts';
import type { By, Decision, Reason } from '../../pdp/model/decision.ts';
import type { Channel, Request } from '../../pdp/model/request.ts';
import type { Effect } from '../../pdp/model/rule.ts';
import { remembered } from '../remembered.ts';
import type { Decided } from '../service.ts';
import type { Told } from './mask.ts';

/** One decision as it is written down: with the policies of its snapshot it can be made again. */
export interface Line {
  readonly time: string;
  readonly id: string;
  readonly via: string;
  readonly caller: string;
  readonly decision: Effect;
  readonly reason: Reason;
  readonly by: By | null;
  readonly shadow: Effect;
  readonly shadowBy: By | null;
  readonly keys?: readonly string[] | undefined;
  readonly snapshot: string;
  readonly request: Request;
  readonly channel: Channel;
  readonly evidence?: string | undefined;
  readonly refused?: true | undefined;
  readonly trace?: string | undefined;
  readonly masked?: readonly string[] | undefined;
  readonly milliseconds: number;
}

/**
 * Without a line break inside, as JSON has none; what is undefined is not in it. Written by hand, since where every
 * decision is logged it is most of what they take; a test holds it to `Line`.
 */
export function lineOf(
  event: Decided,
  evidence: string | undefined,
  { request, masked }: Told,
  now: number,
): string {
  const { id, via, caller, decision, channel, refused, trace, milliseconds } = event;
  const decided = alike.of(decision, decisionText) ?? decisionText(decision);
  let line = `{"time":"${timeOf(now)}","id":"${id}","via":"${via}","caller":${quoted(caller)},${decided}`;
  line += `,"request":${request},"channel":${channelOf(channel)}`;
  if (evidence !== undefined) line += `,"evidence":${JSON.stringify(evidence)}`;
  if (refused === true) line += ',"refused":true';
  if (trace !== undefined) line += `,"trace":${JSON.stringify(trace)}`;
  if (masked.length > 0) line += `,"masked":${JSON.stringify(masked)}`;
  return `${line},"milliseconds":${Math.round(milliseconds * 1_000) / 1_000}}`;
}

const alike = new Alike<string>();
const timeOf = remembered((now: number) => new Date(now).toISOString());
const quoted = remembered((name: string) => JSON.stringify(name));
const channelOf = remembered((channel: Channel) => JSON.stringify(channel));

function decisionText({ decision, reason, by, shadow, shadowBy, keys, snapshot }: Decision): string {
  return JSON.stringify({ decision, reason, by, shadow, shadowBy, keys, snapshot }).slice(1, -1);
}
