import { open } from '../../src/index.ts';
import type { Channel } from '../../src/pdp/model/request.ts';
import type { Shape } from './shapes.ts';
import { openTwin, type Twin, type TwinDecision } from './twin.ts';

/** One world, one question. */
export interface Question {
  documents: Shape[];
  channel?: Channel;
  request: unknown;
}

/** What the twin says, what decide says, what explain says; undefined where all say the same. */
export interface Difference {
  twin: TwinDecision;
  decide: TwinDecision;
  explain: TwinDecision;
}

/** The fields that the twin knows, in one order, so that equal decisions are equal texts. */
export function essence(decision: TwinDecision): TwinDecision {
  const { decision: verdict, tier, by, shadow, shadowBy, reason, trust, keys, age } = decision;
  const plain = (one: TwinDecision['by']) =>
    one === null ? null : { policy: one.policy, kri: one.kri, effect: one.effect, index: one.index };
  return {
    decision: verdict,
    tier,
    by: plain(by),
    shadow,
    shadowBy: plain(shadowBy),
    reason,
    trust,
    ...(keys === undefined || keys.length === 0 ? {} : { keys: [...keys] }),
    ...(age === undefined ? {} : { age }),
  };
}

export interface Sides {
  readonly twin: Twin;
  /** Without `explained` what explain says is taken from decide: large sets are too much for it. */
  difference(request: unknown, explained?: boolean): Difference | undefined;
}

/** Throws if the documents are refused. */
export function openBoth(documents: readonly Shape[], channel: Channel | undefined): Sides {
  const placet = open(documents, channel === undefined ? {} : { channel });
  const twin = openTwin(documents, channel);
  return {
    twin,
    difference(request, explained = true) {
      const decide = essence(placet.decide(request));
      const explain = explained ? essence(placet.explain(request).decision) : decide;
      const sides = { twin: essence(twin.decide(request)), decide, explain };
      const wanted = JSON.stringify(sides.twin);
      const same = JSON.stringify(sides.decide) === wanted && JSON.stringify(sides.explain) === wanted;
      return same ? undefined : sides;
    },
  };
}

/** Which fields differ and what the reasons are, so that a case made smaller stays the same case. */
export function kindOf({ twin, decide, explain }: Difference): string {
  const fields = ['decision', 'tier', 'by', 'shadow', 'shadowBy', 'trust', 'keys', 'age'] as const;
  const differing = fields.filter((field) => JSON.stringify(twin[field]) !== JSON.stringify(decide[field]));
  const reasons = [twin.reason, decide.reason, explain.reason];
  return [...differing, ...reasons].join(' ');
}

/** The difference that a question shows. Documents that are refused show none. */
export function differenceOf(question: Question): Difference | undefined {
  try {
    return openBoth(question.documents, question.channel).difference(question.request);
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidDocuments') return undefined;
    throw error;
  }
}
