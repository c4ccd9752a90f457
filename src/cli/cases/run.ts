import type { By, Decision } from '../../pdp/model/decision.ts';
import { showRule } from '../show/place.ts';
import type { Case, Wanted } from './case.ts';

/** One thing that a case wants and did not get. */
export interface Miss {
  readonly field: string;
  readonly want: string;
  readonly got: string;
}

export interface Outcome {
  readonly case: Case;
  readonly decision: Decision;
  readonly misses: readonly Miss[];
}

function names(by: By | null, want: Wanted): boolean {
  if (by === null || want === null) return by === want;
  return [by.policy, by.kri, showRule(by), `${by.kri}#${by.effect}/${by.index}`].includes(want);
}

const none = 'no rule';

function missesOf(wanted: Case, got: Decision): Miss[] {
  const misses: Miss[] = [];
  const plain = (field: string, want: unknown, value: unknown) => {
    if (want !== undefined && want !== value) misses.push({ field, want: String(want), got: String(value) });
  };
  const rule = (field: string, want: Wanted | undefined, by: By | null) => {
    if (want !== undefined && !names(by, want)) {
      misses.push({ field, want: want ?? none, got: by === null ? none : showRule(by) });
    }
  };
  plain('decision', wanted.want, got.decision);
  rule('by', wanted.by, got.by);
  plain('reason', wanted.reason, got.reason);
  plain('tier', wanted.tier, got.tier);
  plain('trust', wanted.trust, got.trust);
  plain('shadow', wanted.shadow, got.shadow);
  rule('shadowBy', wanted.shadowBy, got.shadowBy);
  return misses;
}

export function runCase(wanted: Case, decide: (request: unknown) => Decision): Outcome {
  const decision = decide(wanted.request);
  return { case: wanted, decision, misses: missesOf(wanted, decision) };
}
