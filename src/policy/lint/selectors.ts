import { type Condition, keys, type Rule } from '../../pdp/model/rule.ts';
import type { Path } from '../document.ts';
import { destinationConditions, holds, inboundValues } from './destinations.ts';
import type { Ground } from './finding.ts';

/** Selectors that select nothing of the inventory. An inventory that has none of a kind says nothing of it. */
export function selectors(ground: Ground): void {
  const seen = new Set<string>();
  for (const policy of ground.loaded.policies) {
    const rules = ground.loaded.rules.slice(policy.first, policy.first + policy.count);
    const permission = policy.kind === 'MeshTrafficPermission';
    for (const rule of rules) {
      const where: Path = permission ? [...policy.path, 'targetRef'] : [...policy.path, 'to'];
      const name = `${policy.document} ${policy.path.join('/')} ${destinationConditions(rule).map(text).join('&')}`;
      if (!seen.has(name)) {
        seen.add(name);
        const [what, any] = permission ? proxies(ground, rule) : services(ground, rule);
        if (!any) report(ground, policy.document, where, what);
      }
      const from = `${policy.document} ${policy.path.join('/')} ${rule.origin.path.join('/')}`;
      if (!permission && !seen.has(from)) {
        seen.add(from);
        if (!workloads(ground, rule)) report(ground, policy.document, rule.origin.path, 'workload');
      }
    }
  }
}

function text({ key, op, values }: Condition): string {
  return `${key} ${op} ${values.map(({ match, value }) => `${match} ${value}`).join(' ')}`;
}

function report(ground: Ground, document: number, path: Path, what: string): void {
  ground.report(document, path, {
    code: 'selects-nothing',
    message: `selects no ${what} of the inventory`,
    hint: `correct the selector, or describe the ${what} that it is for`,
  });
}

function proxies({ loaded }: Ground, rule: Rule): [string, boolean] {
  const conditions = destinationConditions(rule);
  const mesh = conditions.find(({ key }) => key === keys.mesh)?.values[0]?.value;
  const all = [...loaded.inventory.dataplanes.values()].filter((dataplane) => dataplane.mesh === mesh);
  const any = all.some((dataplane) =>
    dataplane.inbounds.some((inbound) =>
      conditions.every((condition) => holds(condition, inboundValues(dataplane, inbound, condition.key))),
    ),
  );
  return ['inbound', all.length === 0 || any];
}

function services({ loaded }: Ground, rule: Rule): [string, boolean] {
  const { services: all, dataplanes, site } = loaded.inventory;
  const conditions = destinationConditions(rule);
  const local = conditions.every(
    (condition) => !isSiteKey(condition.key) || holds(condition, list(site.attributes.get(condition.key))),
  );
  // Other sites have services that are not described here.
  if (!local || all.size === 0) return ['service', true];
  const mine = conditions.filter(({ key }) => !isSiteKey(key));
  const any = [...all.values()].some((service) =>
    mine.every((condition) =>
      holds(
        condition,
        condition.key === keys.namespace ? [service.namespace] : list(service.attributes.get(condition.key)),
      ),
    ),
  );
  const proxy = [...dataplanes.values()].some((dataplane) =>
    dataplane.inbounds.some((inbound) =>
      mine.every((condition) => holds(condition, inboundValues(dataplane, inbound, condition.key))),
    ),
  );
  return ['service', any || proxy];
}

/** Only what Kubernetes says of a workload is looked for, and only by rules that are about no other site. */
function workloads({ loaded }: Ground, rule: Rule): boolean {
  const { workloads: all, site } = loaded.inventory;
  const source = rule.when.filter(({ side }) => side === 'source');
  const local = source.every(
    (condition) => !isSiteKey(condition.key) || holds(condition, list(site.attributes.get(condition.key))),
  );
  const mine = source.filter(({ key }) => key.startsWith('k8s:') || key === keys.spiffeId);
  if (all.length === 0 || !local || mine.length === 0) return true;
  return all.some((workload) =>
    mine.every((condition) =>
      holds(
        condition,
        list(condition.key === keys.spiffeId ? workload.spiffeId : workload.attributes.get(condition.key)),
      ),
    ),
  );
}

function isSiteKey(key: string): boolean {
  return key.startsWith('site:') || key.startsWith('cl:site:') || key === 'cl:fabric';
}

function list(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}
