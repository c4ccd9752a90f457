import type { Decision, Reason } from '../../pdp/model/decision.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { Path } from '../../policy/document.ts';
import type { Case } from './case.ts';

const meant = (reason: Reason) => `a case that means it says "reason: ${reason}"`;

/**
 * What in a case can hardly be meant: a request that is none, or a destination that is not there, is denied
 * whatever the policies say, so that `want: deny` would hold for the wrong reason.
 */
export function mistakesOf(wanted: Case, { reason, violations }: Decision): Violation[] {
  if (reason === wanted.reason) return [];
  if (reason === 'invalid-request') {
    return (violations ?? []).map((violation) => ({
      ...violation,
      ...located(wanted, violation.path, violation.code === 'unknown-field' ? 'key' : 'value'),
      hint: violation.hint ?? meant(reason),
    }));
  }
  if (reason !== 'unknown-destination') return [];
  return [
    {
      ...located(wanted, ['destination'], 'value'),
      code: 'reference',
      message: 'no document beside the policies has this destination',
      hint: meant(reason),
    },
  ];
}

function located(wanted: Case, part: Path, of: 'value' | 'key') {
  return wanted.locate?.(part, of) ?? { path: part, ...(wanted.place && { place: wanted.place }) };
}
