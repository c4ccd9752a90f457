import { type Cursor, required, whole } from './cursor.ts';
import type { Result, Seen, Test } from './evidence.ts';
import type { FilterKind } from './inputs.ts';
import { readPermission } from './permission.ts';
import { readPrincipal } from './principal.ts';

/** `envoy.config.rbac.v3.RBAC`: policies by name, in the order of their bytes; the first that matches is named. */
export function readRules(cursor: Cursor, filter: FilterKind): ((seen: Seen) => Result) | undefined {
  const fields = cursor.fields('action', 'policies', 'audit_logging_options');
  if (fields === undefined) return undefined;
  const given = fields.get('action');
  const effect = given === undefined ? 'ALLOW' : given.choice('ALLOW', 'DENY', 'LOG');
  const map = fields.get('policies');
  const entries = map === undefined ? [] : map.entries();
  const policies = whole(
    entries?.map(([name, policy]) => {
      const test = readPolicy(policy, filter);
      return test && { name, test };
    }),
  )?.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  if (effect === undefined || policies === undefined) return undefined;
  return (seen) => {
    const policy = policies.find(({ test }) => test(seen))?.name;
    const allowed = effect === 'LOG' || (policy !== undefined) === (effect === 'ALLOW');
    return { action: allowed ? 'ALLOW' : 'DENY', ...(policy === undefined ? {} : { policy }) };
  };
}

function readPolicy(cursor: Cursor, filter: FilterKind): Test | undefined {
  const fields = cursor.fields('permissions', 'principals', 'condition', 'checked_condition', 'cel_config');
  if (fields === undefined) return undefined;
  for (const name of ['condition', 'checked_condition', 'cel_config']) {
    if (fields.has(name)) return fields.get(name)!.unknown(`the ${name} of a policy`);
  }
  const permissions = whole(
    required(cursor, fields, 'permissions')
      ?.items(1)
      ?.map((one) => readPermission(one, filter)),
  );
  const principals = whole(
    required(cursor, fields, 'principals')
      ?.items(1)
      ?.map((one) => readPrincipal(one, filter)),
  );
  if (permissions === undefined || principals === undefined) return undefined;
  return (seen) => permissions.some((test) => test(seen)) && principals.some((test) => test(seen));
}
