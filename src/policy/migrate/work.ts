import { limits } from '../../pdp/model/limits.ts';
import type { Clients } from './clients.ts';
import type { Ground } from './ground.ts';

/** Why a comparison is not begun: it would take too long. Undefined if it would not. */
export function tooMuch({ groups, scopes, policies }: Ground, { kinds, ids }: Clients): string | undefined {
  const words = Math.ceil(ids.length / 32);
  let steps = groups.length * kinds.length;
  for (const { scopes: own } of groups) {
    steps += own.length * words;
    for (const scope of own) steps += scopes[scope]!.policies.length;
  }
  for (const { others } of groups) if (others.length > 0) steps += 20 * (kinds.length + ids.length);
  if (steps <= limits.migrationSteps) return undefined;
  const sizes = `${policies.length} policies, ${groups.length} kinds of inbounds and ${kinds.length} of clients`;
  return `got ${sizes}, which take ${steps} steps to compare, want at most ${limits.migrationSteps}: migrate a part of the policies at a time`;
}
