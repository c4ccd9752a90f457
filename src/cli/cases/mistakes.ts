import type { Decision, Reason } from '../../pdp/model/decision.ts';
import { requestViolations } from '../../pdp/model/request-violations.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import type { Case } from './case.ts';

/*
 * What in a case can hardly be meant: a request that is none, or a destination that is not there, is denied
 * whatever the policies say, so that `want: deny` would hold for the wrong reason.
 */

const meant = (reason: Reason) => `a case that means it says "reason: ${reason}"`;

/** What is wrong with a request that is none; nothing of one that shows just that. */
export function noRequest(wanted: Case): Violation[] {
  if (wanted.reason === 'invalid-request') return [];
  return requestViolations(wanted.request).map((violation) => ({
    ...violation,
    ...located(wanted, violation.path, violation.code === 'unknown-field' ? 'key' : 'value'),
    hint: violation.hint ?? meant('invalid-request'),
  }));
}

/** What is wrong with a request whose destination nobody has. */
export function nowhere(wanted: Case, { reason }: Decision): Violation[] {
  if (reason !== 'unknown-destination' || wanted.reason === reason) return [];
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
