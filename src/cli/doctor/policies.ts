import { formatViolation, type Violation } from '../../pdp/model/violation.ts';
import { bySeverity, findingsOf } from '../findings.ts';
import { nothingIn, type PolicySet } from '../set.ts';
import { count } from '../terminal/wrap.ts';
import { type Finding, several } from './finding.ts';

/** Policies of files, as `check` and `lint` see them. */
export function checkPolicies(set: PolicySet): readonly Finding[] {
  const check = 'policies';
  const nothing = nothingIn(set);
  const wrong = nothing === undefined ? set.violations : [nothing];
  if (wrong.length > 0)
    return [{ check, outcome: 'fail', says: counted(wrong), todo: 'placet check says all' }];
  const { errors, warnings } = bySeverity(findingsOf(set));
  const { rules, policies, snapshot } = set.loaded;
  const says = `${count(policies.length, 'policy', 'policies')}, ${count(rules.length, 'rule')}, snapshot ${snapshot}`;
  if (errors.length > 0)
    return [{ check, outcome: 'fail', says: counted(errors), todo: 'placet check says all' }];
  if (warnings.length === 0) return [{ check, outcome: 'ok', says }];
  return [
    {
      check,
      outcome: 'warn',
      says: `${says}; ${count(warnings.length, 'warning')}`,
      todo: 'placet lint says which',
    },
  ];
}

type Said = Pick<Violation, 'path' | 'message' | 'place'>;

export function counted(wrong: readonly Said[]): string {
  const texts = wrong.map(({ path, message, place }) =>
    formatViolation({ path, message, code: 'value', ...(place === undefined ? {} : { place }) }),
  );
  return `${count(wrong.length, 'problem')}: ${several(texts, 2, '; ')}`;
}
