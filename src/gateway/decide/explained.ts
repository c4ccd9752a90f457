import type { Explanation } from '../../pdp/explain.ts';
import type { Reason } from '../../pdp/model/decision.ts';
import type { Answered } from './ask.ts';

type Guard = NonNullable<Explanation['guard']>;

/** What there is to say of a denial before any policy was asked, by which it could only seem to be otherwise. */
export function unaskedExplanation({ decision, refused }: Answered): Explanation {
  const { reason, keys } = decision;
  const why = {
    ...(keys === undefined ? {} : { keys }),
    ...(wordsOf(reason, keys ?? []) ?? ofEvidence(refused)),
  };
  return { decision, rules: [], guard: { reason, ...why } };
}

/** What policies say, by the decision that was given: a cluster that could not be asked changes why. */
export function withDecision(explanation: Explanation, { decision }: Answered): Explanation {
  return decision.reason === 'stale' ? { ...explanation, decision } : explanation;
}

type Words = Pick<Guard, 'message' | 'hint'>;

function wordsOf(reason: Reason, keys: readonly string[]): Words | undefined {
  if (reason === 'conflict')
    return {
      message: `what is shown and what is stated of the client differ on ${keys.join(', ')}`,
      hint: 'give evidence of one client, and leave out what it tells',
    };
  if (reason === 'stale')
    return { message: 'the policies are older than may be', hint: 'GET /ready?verbose says of which source' };
  return undefined;
}

function ofEvidence(refused: Answered['refused']): Words {
  const said = refused.map(({ evidence, refusal }) => `${evidence} (${refusal.code}): ${refusal.message}`);
  return { message: said.join('; '), hint: 'give evidence that holds, or leave out what does not' };
}
