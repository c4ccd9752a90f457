import type { Decision } from '../../pdp/model/decision.ts';
import { engineOf } from '../engine.ts';
import { exit } from '../failure.ts';
import { type ChannelFlags, channelFrom } from '../requests/channel.ts';
import type { Item } from '../requests/item.ts';
import { type QuestionFlags, requestsOf } from '../requests/source.ts';
import { placeOf, ruleFinder, soundSet } from '../set.ts';
import { showDecision } from '../show/decision.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';

export interface DecideFlags extends QuestionFlags, ChannelFlags {
  readonly policies?: readonly string[];
  readonly json?: boolean;
  readonly exitCode?: boolean;
}

/** What is decided of something that could not even be read. */
export function denyOfNoRequest(item: Item & { ok: false }, snapshot: string): Decision {
  return {
    decision: 'deny',
    tier: null,
    by: null,
    shadow: 'deny',
    shadowBy: null,
    reason: 'invalid-request',
    trust: null,
    snapshot,
    violations: [item.violation],
  };
}

export async function decide(terminal: Terminal, flags: DecideFlags): Promise<number> {
  const channel = channelFrom(flags);
  const requests = requestsOf(flags, terminal);
  const set = await soundSet(flags.policies, terminal);
  const engine = engineOf(set);
  const find = ruleFinder(set);
  const paint = palette(terminal.out);
  let [count, invalid, denied] = [0, 0, 0];

  for await (const items of requests) {
    let text = '';
    for (const item of items) {
      const decision = item.ok
        ? engine.decide(item.value, channel)
        : denyOfNoRequest(item, set.loaded.snapshot);
      if (decision.reason === 'invalid-request') invalid++;
      if (decision.decision === 'deny') denied++;
      if (flags.json) text += `${JSON.stringify(decision)}\n`;
      else {
        const at = (by: Parameters<typeof find>[0]) => {
          const rule = find(by);
          return rule && placeOf(set, rule);
        };
        text += `${count > 0 ? '\n' : ''}${showDecision(decision, at, paint).join('\n')}\n`;
      }
      count++;
    }
    await terminal.out.write(text);
    if (terminal.out.closed) break;
  }
  if (count === 0) await terminal.err.line('placet: the input holds no request');
  if (invalid > 0) return exit.problems;
  return flags.exitCode && denied > 0 ? exit.deny : exit.ok;
}
