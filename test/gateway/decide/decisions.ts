import fc from 'fast-check';
import type { Answered } from '../../../src/gateway/decide/ask.ts';
import { type By, type Decision, reasons } from '../../../src/pdp/model/decision.ts';
import { trustLevels } from '../../../src/pdp/model/trust.ts';

const by: fc.Arbitrary<By | null> = fc.option(
  fc.record({
    policy: fc.string({ unit: 'binary' }),
    kri: fc.string(),
    effect: fc.constantFrom('allow', 'deny', 'allowWithShadowDeny'),
    index: fc.nat(),
  }),
);

const decision: fc.Arbitrary<Decision> = fc.record(
  {
    decision: fc.constantFrom('allow', 'deny'),
    tier: fc.constantFrom(0, 1, 2, 3, 4, null),
    by,
    shadow: fc.constantFrom('allow', 'deny'),
    shadowBy: by,
    reason: fc.constantFrom(...reasons),
    trust: fc.constantFrom(...trustLevels, null),
    snapshot: fc.string({ unit: 'binary' }),
    keys: fc.array(fc.string({ unit: 'binary' })),
    age: fc.integer(),
    violations: fc.array(
      fc.record(
        {
          path: fc.array(fc.oneof(fc.string(), fc.nat())),
          code: fc.constantFrom('type', 'limit'),
          message: fc.string({ unit: 'binary' }),
          hint: fc.string(),
        },
        { requiredKeys: ['path', 'code', 'message'] },
      ),
    ),
  },
  { requiredKeys: ['decision', 'tier', 'by', 'shadow', 'shadowBy', 'reason', 'trust', 'snapshot'] },
);

/** Answers of every shape, without the snapshot. */
export const decisions: fc.Arbitrary<Omit<Answered, 'snapshot'>> = fc.record({
  id: fc.stringMatching(/^[A-Za-z0-9_-]{12}\.[0-9a-z]+$/),
  decision,
  request: fc.constant({ destination: { service: 'a/b' } }),
  channel: fc.constant({ identity: 'asserted', trust: 'asserted', ceiling: 'asserted', complete: false }),
  ttl: fc.nat(86_400),
  refused: fc.array(
    fc.record({
      evidence: fc.constantFrom('certificate', 'xfcc', 'jwt', 'ip'),
      refusal: fc.record({ code: fc.constantFrom('expired', 'san'), message: fc.string({ unit: 'binary' }) }),
    }),
    { maxLength: 3 },
  ),
  unasked: fc.boolean(),
});
