import { BodySheet } from '../../src/gateway/http/sheet.ts';
import { InvalidDocuments } from '../../src/index.ts';
import { createEngine, type Engine } from '../../src/pdp/engine.ts';
import type { Sizes } from '../../src/pdp/index/sizes.ts';
import type { Sheet } from '../../src/pdp/index/written.ts';
import type { Channel } from '../../src/pdp/model/request.ts';
import { load } from '../../src/policy/load.ts';
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

/** A request as it stands in a body. */
export function written(request: unknown): Sheet {
  return new BodySheet(Buffer.from(JSON.stringify(request) ?? ''));
}

/** Throws if the documents are refused. */
export function engineOf(documents: readonly Shape[], sizes?: Sizes): Engine {
  const plain = documents.map((value) => ({ value, place: () => undefined }));
  const { rules, inventory, violations } = load(plain, () => '');
  if (violations.length > 0) throw new InvalidDocuments(violations);
  return createEngine(rules, inventory, '', sizes);
}

/** With these a set as small as the worlds here has all that an index of many rules has. */
const small: Sizes = { tabled: 2, spared: 0, values: 1, columns: 2, common: 1 };

export interface Sides {
  readonly twin: Twin;
  /** How many requests were decided off their bytes too. */
  readonly read: number;
  /** Without `explained` what explain says is taken from decide: large sets are too much for it. */
  difference(request: unknown, explained?: boolean): Difference | undefined;
  /** The first of these that reads otherwise in a body of all of them than as an object. */
  misread(requests: readonly unknown[]): { request: unknown; difference: Difference } | undefined;
}

/** Throws if the documents are refused. */
export function openBoth(documents: readonly Shape[], channel: Channel | undefined): Sides {
  const engine = engineOf(documents);
  const divided = engineOf(documents, small);
  const twin = openTwin(documents, channel);
  let read = 0;
  return {
    twin,
    get read() {
      return read;
    },
    difference(request, explained = true) {
      const asRead = engine.scan(written(request)).one();
      if (asRead !== undefined) read++;
      const ofObject = essence(engine.decide(request, channel));
      // Of what was kept for the first answer a second one is made.
      const again = essence(engine.decide(asRead ?? request, channel));
      const ofDivided = essence(divided.decide(request, channel));
      const decide = JSON.stringify(again) === JSON.stringify(ofObject) ? ofDivided : again;
      const explain = explained ? essence(engine.explain(request, channel).decision) : ofObject;
      const sides = { twin: essence(twin.decide(request)), decide, explain };
      const wanted = JSON.stringify(sides.twin);
      const same = [ofObject, again, ofDivided, explain].every((one) => JSON.stringify(one) === wanted);
      return same ? undefined : sides;
    },
    misread(requests) {
      const readable = requests.filter((one) => engine.scan(written(one)).one() !== undefined);
      const all = engine.scan(written({ requests: readable })).batch(readable.length) ?? [];
      read += all.length;
      for (const [i, request] of readable.entries()) {
        const explain = essence(engine.decide(request, channel));
        const decide = essence(engine.decide(all[i], channel));
        if (JSON.stringify(decide) !== JSON.stringify(explain))
          return { request, difference: { twin: essence(twin.decide(request)), decide, explain } };
      }
      return undefined;
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
