import { type Chain, isRbac } from './chains.ts';
import { type Check, type CheckId, fails, holds, type Needs, notShown } from './check.ts';
import { field, items, mayBeTrue, typeOf } from './json.ts';
import { unknownFields } from './known-fields.ts';
import type { Resources } from './resources.ts';
import { slashes } from './slash-checks.ts';

const inspectorType = 'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector';

export function requestChecks(chain: Chain, resources: Resources, needs: Needs): Check[] {
  const checks: Check[] = [layer(chain, needs)];
  if (needs.readsPaths && chain.httpFilters.some(isRbac)) checks.push(...pathChecks(chain, resources));
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

function pathChecks({ manager }: Chain, { runtime }: Resources): Check[] {
  if (manager === undefined) {
    return (['normalize-path', 'merge-slashes', 'escaped-slashes'] as const).map((id) =>
      notShown(id, 'the connection manager is not in the configuration'),
    );
  }
  const flag = (id: CheckId, name: string): Check =>
    field(manager, name) === true
      ? holds(id, `${name} is set`)
      : fails(id, `${name} is not set, so that a path has many spellings`, `set ${name}: true`);
  return [
    flag('normalize-path', 'normalize_path'),
    flag('merge-slashes', 'merge_slashes'),
    slashes(manager, runtime),
  ];
}

function inspector({ listener }: Chain): Check {
  if (listener === undefined) return notShown('tls-inspector', 'the listener is not in the configuration');
  const faults = items(field(listener, 'listener_filters'))
    .filter((one) => typeOf(field(one, 'typed_config')) === inspectorType)
    .map((one) => inspectorFault(one, listener));
  if (faults.length === 0) {
    const hint = 'add envoy.filters.listener.tls_inspector to listener_filters';
    return fails('tls-inspector', 'server names are read, and nothing looks for them', hint);
  }
  return faults.includes(undefined)
    ? holds('tls-inspector', 'the listener has the TLS inspector')
    : fails(
        'tls-inspector',
        `the TLS inspector does not look at every connection: ${faults[0]}`,
        'leave it out',
      );
}

/** Why server names may remain unseen where a client wants it; undefined if they do not. */
function inspectorFault(filter: unknown, listener: unknown): string | undefined {
  if (field(filter, 'filter_disabled') !== undefined) return 'filter_disabled switches it off';
  const [unknown] = unknownFields('the TLS inspector', field(filter, 'typed_config'));
  if (unknown !== undefined) return `what comes of ${unknown} is not known here`;
  // A client that waits for so long before it says which server it means is let on without.
  return mayBeTrue(field(listener, 'continue_on_listener_filters_timeout'))
    ? 'continue_on_listener_filters_timeout goes on without it'
    : undefined;
}
