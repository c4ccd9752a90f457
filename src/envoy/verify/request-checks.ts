import { type Chain, isRbac } from './chains.ts';
import { type Check, type CheckId, fails, holds, type Needs, notShown } from './check.ts';
import { field, items, typeOf } from './json.ts';

export function requestChecks(chain: Chain, needs: Needs): Check[] {
  const checks: Check[] = [layer(chain, needs)];
  if (needs.readsPaths && chain.httpFilters.some(isRbac)) checks.push(...pathChecks(chain.manager));
  if (needs.readsSnis) checks.push(inspector(chain));
  if (needs.readsOthers.length > 0) {
    const read = needs.readsOthers.join(', ');
    checks.push(notShown('other-inputs', `filters read ${read}, and requests are tried without`));
  }
  return checks;
}

function layer(chain: Chain, { protocol }: Needs): Check {
  const http = chain.httpFilters.some(isRbac);
  if (protocol === 'http' && !http && chain.filters.some(isRbac)) {
    return fails(
      'layer',
      'the inbound is declared http, and RBAC sees its connections only',
      'use the HTTP filter',
    );
  }
  if (protocol === 'tcp' && http) {
    return fails(
      'layer',
      'the inbound is declared tcp, and RBAC is an HTTP filter',
      'use the network filter',
    );
  }
  return holds('layer', http ? 'RBAC sees requests' : 'RBAC sees connections');
}

function pathChecks(manager: unknown): Check[] {
  if (manager === undefined) {
    return (['normalize-path', 'merge-slashes', 'escaped-slashes'] as const).map((id) =>
      notShown(id, 'the connection manager is not in the configuration'),
    );
  }
  const flag = (id: CheckId, name: string): Check =>
    field(manager, name) === true
      ? holds(id, `${name} is set`)
      : fails(id, `${name} is not set, so that a path has many spellings`, `set ${name}: true`);
  const slashes = field(manager, 'path_with_escaped_slashes_action');
  return [
    flag('normalize-path', 'normalize_path'),
    flag('merge-slashes', 'merge_slashes'),
    slashes === 'UNESCAPE_AND_FORWARD'
      ? fails(
          'escaped-slashes',
          'escaped slashes are unescaped before RBAC, which then no longer sees that the path was ambiguous',
          'leave path_with_escaped_slashes_action as it is, or set REJECT_REQUEST',
        )
      : holds('escaped-slashes', 'escaped slashes reach RBAC as they are, or not at all'),
  ];
}

function inspector({ listener }: Chain): Check {
  if (listener === undefined) return notShown('tls-inspector', 'the listener is not in the configuration');
  const there = items(field(listener, 'listener_filters')).some((one) =>
    typeOf(field(one, 'typed_config')).endsWith('.tls_inspector.v3.TlsInspector'),
  );
  if (there) return holds('tls-inspector', 'the listener has the TLS inspector');
  const hint = 'add envoy.filters.listener.tls_inspector to listener_filters';
  return fails('tls-inspector', 'server names are read, and nothing looks for them', hint);
}
