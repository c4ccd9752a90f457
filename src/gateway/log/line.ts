import type { By, Reason } from '../../pdp/model/decision.ts';
import type { Channel, Request } from '../../pdp/model/request.ts';
import type { Effect } from '../../pdp/model/rule.ts';
import type { Decided } from '../service.ts';
import type { Masked } from './mask.ts';

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

/** Without a line break inside, as JSON has none; what is undefined is not in it. */
export function lineOf(
  event: Decided,
  evidence: string | undefined,
  { request, masked }: Masked,
  now: number,
): string {
  const { id, via, caller, decision, channel, refused, trace, milliseconds } = event;
  const line: Line = {
    time: new Date(now).toISOString(),
    id,
    via,
    caller,
    decision: decision.decision,
    reason: decision.reason,
    by: decision.by,
    shadow: decision.shadow,
    shadowBy: decision.shadowBy,
    keys: decision.keys,
    snapshot: decision.snapshot,
    request,
    channel,
    evidence,
    refused: refused === true ? refused : undefined,
    trace,
    masked: masked.length === 0 ? undefined : masked,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
  };
  return JSON.stringify(line);
}
