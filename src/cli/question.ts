import { type By, type Decision, refusal } from '../pdp/model/decision.ts';
import type { Channel } from '../pdp/model/request.ts';
import type { Place, Violation } from '../pdp/model/violation.ts';
import { exit } from './failure.ts';
import { type ChannelFlags, channelFrom } from './requests/channel.ts';
import { requestsOf, type SourceFlags } from './requests/source.ts';
import { type PolicySet, placeOf, ruleFinder, soundSet } from './set.ts';
import type { Terminal } from './terminal/output.ts';
import { toJson } from './terminal/plain.ts';

/** What `decide` and `explain` have in common: policies, requests one after another, and how they end. */
export interface QuestionFlags extends SourceFlags, ChannelFlags {
  readonly policies?: readonly string[];
  readonly json?: boolean;
  readonly exitCode?: boolean;
}

export interface Question {
  readonly set: PolicySet;
  readonly channel: Channel;
  placeOfBy(by: By): Place | undefined;
}

export interface Answering<Answer> {
  answer(request: unknown): Answer;
  /** The answer where something is no request. */
  refuse(decision: Decision): Answer;
  decisionOf(answer: Answer): Decision;
  /** `request`: undefined where something is none. */
  show(answer: Answer, request: unknown): string[];
}

/** What is decided of something that could not even be read. */
function unread(violations: readonly Violation[], snapshot: string): Decision {
  return refusal('invalid-request', snapshot, { violations });
}

/** What is wrong with a request stands where the request stands. */
function located(decision: Decision, place: Place): Decision {
  if (decision.violations === undefined) return decision;
  return { ...decision, violations: decision.violations.map((violation) => ({ ...violation, place })) };
}

export async function answerAll<Answer>(
  terminal: Terminal,
  flags: QuestionFlags,
  prepare: (question: Question) => Answering<Answer>,
): Promise<number> {
  const channel = channelFrom(flags);
  const { name, batches } = requestsOf(flags, terminal);
  const set = await soundSet(flags.policies, terminal);
  const find = ruleFinder(set);
  const placeOfBy = (by: By) => {
    const rule = find(by);
    return rule && placeOf(set, rule);
  };
  const { answer, refuse, decisionOf, show } = prepare({ set, channel, placeOfBy });
  let [count, invalid, denied] = [0, 0, 0];
  for await (const items of batches(set.loaded.inventory)) {
    let text = '';
    for (const item of items) {
      let given = item.ok ? answer(item.value) : refuse(unread(item.violations, set.loaded.snapshot));
      const { decision, reason } = decisionOf(given);
      if (reason === 'invalid-request') {
        invalid++;
        if (item.ok && name !== undefined)
          given = refuse(located(decisionOf(given), { file: name, line: item.line, column: item.column }));
      }
      if (decision === 'deny') denied++;
      const lines = flags.json
        ? [toJson(given)]
        : [...(count > 0 ? [''] : []), ...show(given, item.ok ? item.value : undefined)];
      text += `${lines.join('\n')}\n`;
      count++;
    }
    await terminal.out.write(text);
    if (terminal.out.closed) break;
  }
  if (count === 0) await terminal.err.line('placet: the input holds no request');
  if (invalid > 0 || count === 0) return exit.problems;
  return flags.exitCode && denied > 0 ? exit.deny : exit.ok;
}
