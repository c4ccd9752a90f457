import { type Check, fails, holds } from './check.ts';
import { enumOf, field } from './json.ts';
import { mayBeSet } from './runtime.ts';

const actions = [
  'IMPLEMENTATION_SPECIFIC_DEFAULT',
  'KEEP_UNCHANGED',
  'REJECT_REQUEST',
  'UNESCAPE_AND_REDIRECT',
  'UNESCAPE_AND_FORWARD',
] as const;

/** The runtime says what the connection manager leaves to it. */
const runtimeKey = 'http_connection_manager.path_with_escaped_slashes_action';

/** Escaped slashes must reach RBAC as they came, or not at all. */
export function slashes(manager: unknown, runtime: readonly unknown[]): Check {
  const given = field(manager, 'path_with_escaped_slashes_action');
  const action = enumOf(given, actions);
  const hint = 'set path_with_escaped_slashes_action: KEEP_UNCHANGED, or REJECT_REQUEST';
  const fault = (message: string) => fails('escaped-slashes', message, hint);
  if (action === undefined)
    return fault(`path_with_escaped_slashes_action is ${JSON.stringify(given)}, which is not known here`);
  if (action === 'UNESCAPE_AND_FORWARD')
    return fault(
      'escaped slashes are unescaped before RBAC, which then no longer sees that the path was ambiguous',
    );
  const layer = action === actions[0] ? mayBeSet(runtimeKey, runtime) : undefined;
  if (layer !== undefined)
    return fault(`path_with_escaped_slashes_action is left to the runtime, whose layer ${layer} may set it`);
  return holds('escaped-slashes', 'escaped slashes reach RBAC as they are, or not at all');
}
