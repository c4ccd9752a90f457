import { setImmediate } from 'node:timers/promises';
import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Channel } from '../../pdp/model/request.ts';
import type { Answered, Ask } from '../decide/ask.ts';
import { longestPiece } from '../decide/batch.ts';
import { channelFor } from '../decide/join.ts';
import { messages } from '../decide/message.ts';
import { Refused } from '../http/problem.ts';
import type { Caller, Snapshot } from '../service.ts';
import { mapped, usable } from './ask.ts';
import { messageOf, readAs } from './parse.ts';
import { evaluation as schema } from './schemas.ts';
import type { Evaluation, Evaluations, Verdict, Verdicts } from './types.ts';

export type Evaluate = (evaluation: Evaluation) => Promise<Verdict>;

/** One evaluation after another, for one caller and over one set of policies. */
export function evaluator(ask: Ask, snapshot: Snapshot, caller: Caller): Evaluate {
  const channel: Channel = channelFor(caller.roles);
  const detailed = caller.roles.has('explain');
  return async (evaluation) => {
    const question = mapped(evaluation, snapshot.inventory, channel);
    return verdictOf(await asked(ask, question, snapshot, caller), detailed);
  };
}

function asked(
  ask: Ask,
  question: ReturnType<typeof mapped>,
  snapshot: Snapshot,
  caller: Caller,
): Answered | Promise<Answered> {
  if ('reason' in question) return ask({}, caller, 'authzen', { snapshot, refusal: question });
  const { request, evidence, channel } = question;
  const body = { ...request, source: { ...request.source, ...evidence } };
  return ask(body, caller, 'authzen', { snapshot, channel });
}

/** Names of policies are for callers with the role explain (SPEC AZ5). */
function verdictOf({ id, decision, ttl }: Answered, detailed: boolean): Verdict {
  const { reason, snapshot, by, tier, shadow, shadowBy, trust, keys } = usable(decision);
  const allowed = decision.decision === 'allow';
  return {
    decision: allowed,
    context: {
      reason,
      ...(allowed ? {} : { message: messages[reason] }),
      decisionId: id,
      snapshot,
      ttl,
      ...(detailed ? { by, tier, trust, shadow, shadowBy, ...(keys === undefined ? {} : { keys }) } : {}),
    },
  };
}

/** The verdict at which a list of evaluations ends, by what the caller wants of it. */
const ends = { execute_all: undefined, deny_on_first_deny: false, permit_on_first_permit: true } as const;

/**
 * Each with the defaults of all, in order; one that is none is denied in its place (SPEC AZ10 to AZ13). What takes long
 * lets others have their turn. `now`: a clock that nobody sets.
 */
export async function evaluateAll(
  { evaluations = [], options, ...defaults }: Evaluations,
  evaluate: Evaluate,
  now: () => number = () => performance.now(),
): Promise<Verdicts> {
  const end = ends[options?.evaluations_semantic ?? 'execute_all'];
  const verdicts: Verdict[] = [];
  let until = now() + longestPiece;
  for (const one of evaluations) {
    if (now() >= until) {
      await setImmediate();
      until = now() + longestPiece;
    }
    const verdict = await evaluated(isFields(one) ? withDefaults(one, defaults) : one, evaluate);
    verdicts.push(verdict);
    if (verdict.decision === end) break;
  }
  return { evaluations: verdicts };
}

async function evaluated(one: unknown, evaluate: Evaluate): Promise<Verdict> {
  try {
    return await evaluate(readAs(schema, one));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status } = error.problem;
    return { decision: false, context: { error: { status, message: messageOf(error) } } };
  }
}

/**
 * An item replaces a default whole, but for the type and the ID that it does not give: the scenario of the
 * certification has such items.
 */
function withDefaults(one: Partial<Evaluation>, defaults: Partial<Evaluation>): object {
  const whole: Record<string, unknown> = { ...defaults };
  for (const [name, own] of Object.entries(one)) {
    if (own === undefined) continue;
    const common = whole[name];
    whole[name] =
      (name === 'subject' || name === 'resource') && isFields(own) && isFields(common)
        ? { ...pick(common), ...own }
        : own;
  }
  return whole;
}

function pick({ type, id }: Fields): object {
  return { ...(type === undefined ? {} : { type }), ...(id === undefined ? {} : { id }) };
}
