import { type Condition, effectOf, keys, type Rule } from '../../pdp/model/rule.ts';
import type { PolicyInfo } from '../load.ts';
import type { Ground } from './finding.ts';
import { amongInbounds, denies, destinationConditions, inboundsOf } from './inventory.ts';

/** A policy that only denies where nothing allows: everything is denied there anyway. */
export function onlyDenies(ground: Ground): void {
  const { rules, policies, inventory } = ground.loaded;
  const allowed = new Set(rules.filter(allows).map(territory));
  const permitted = [...allowed].some((one) => one.startsWith('mesh '));
  const accessible = [...allowed].some((one) => one.startsWith('access '));
  for (const policy of policies) {
    const mine = rules.slice(policy.first, policy.first + policy.count);
    const [first] = mine;
    if (first === undefined || allowed.has(territory(first)) || mine.some(allows)) continue;
    const permission = policy.kind === 'MeshTrafficPermission';
    // An AccessPolicy also denies what permissions allow; where the mesh says so its allows are for inbounds too (SPEC DST2).
    if (permission && accessible && inventory.meshes.get(policy.mesh)?.accessPolicies === 'full') continue;
    if (!permission && (permitted || allowed.has('access *'))) continue;
    if (policy.kind === 'PrivilegedAccessPolicy' && accessible) continue;
    ground.report(policy.document, policy.path, {
      code: 'only-denies',
      message: `only denies, and no policy allows anything ${words(policy)}: all is denied there by default`,
      hint: 'add the allow that this is an exception to, or take the policy out',
    });
  }
}

function allows(rule: Rule): boolean {
  return effectOf(rule.tier ?? rule.shadow) === 'allow' || effectOf(rule.shadow) === 'allow';
}

/** The mesh, or the namespace, that a rule is about. */
function territory(rule: Rule): string {
  const value = (key: string): string =>
    rule.when.find((condition) => condition.key === key)?.values[0]?.value ?? '*';
  return rule.origin.kind === 'MeshTrafficPermission'
    ? `mesh ${value(keys.mesh)}`
    : `access ${value(keys.namespace)}`;
}

function words({ kind, mesh, namespace }: PolicyInfo): string {
  if (kind === 'MeshTrafficPermission') return `in mesh "${mesh}"`;
  return kind === 'AccessPolicy' ? `in namespace "${namespace ?? 'default'}"` : 'anywhere';
}

/** A deny of method or path on an inbound that shows neither denies whatever the rest of it matches (SPEC DST6). */
export function layer7OnTcp(ground: Ground): void {
  const { rules, policies, inventory } = ground.loaded;
  const tcp = amongInbounds(inboundsOf(inventory).filter(({ inbound }) => inbound.protocol === 'tcp'));
  if (tcp.isEmpty) return;
  for (const policy of policies) {
    if (policy.labels['placet.dev/tcp'] === 'deny') continue;
    for (const rule of rules.slice(policy.first, policy.first + policy.count)) {
      if (!denies(rule) || !rule.when.some(isLayer7)) continue;
      const reached = tcp.find(destinationConditions(rule));
      if (reached === undefined) continue;
      const name = `${reached.dataplane.mesh}/${reached.dataplane.name}:${reached.inbound.name ?? reached.inbound.port}`;
      ground.report(rule.origin.document, rule.origin.path, {
        code: 'tcp-l7',
        message: `denies by method or path on the TCP inbound ${name}, which shows neither: there it denies whatever the rest of it matches`,
        hint: 'select HTTP inbounds only, or label the policy "placet.dev/tcp: deny" if that is meant',
      });
    }
  }
}

function isLayer7({ side, key }: Condition): boolean {
  return side === 'request' && (key === keys.method || key === keys.path);
}
