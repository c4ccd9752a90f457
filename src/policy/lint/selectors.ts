import { valueAt } from '../../pdp/model/fields.ts';
import { namespaceOf } from '../../pdp/model/inventory.ts';
import { isOfSite } from '../../pdp/model/of-site.ts';
import { type Condition, keys, type Rule } from '../../pdp/model/rule.ts';
import { byText, nearest } from '../../pdp/model/text.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import { labelNames } from '../kinds/head.ts';
import type { PolicyInfo } from '../load.ts';
import { type Among, holds } from './among.ts';
import { isAsked } from './asked.ts';
import { type Ground, some } from './finding.ts';
import {
  amongInbounds,
  amongServices,
  amongWorkloads,
  denies,
  destinationConditions,
  inboundsOf,
} from './inventory.ts';
import { whyNone } from './none.ts';

/** Selectors that select nothing of the inventory. An inventory that has none of a kind says nothing of it. */
export function selectors(ground: Ground): void {
  const { inventory, policies, rules } = ground.loaded;
  const inbounds = amongInbounds(inboundsOf(inventory), inventory);
  const services = amongServices(inventory);
  const workloads = amongWorkloads(inventory);
  const proxied = new Set([...inventory.dataplanes.values()].map(({ mesh }) => mesh));
  const described = [...inventory.meshes.values()].filter(({ document }) => document !== undefined);
  const meshes = new Set([...described.map(({ name }) => name), ...proxied]);
  const identified = inventory.workloads.every(({ spiffeId }) => spiffeId !== undefined);

  const unplaced = [...inventory.dataplanes.values()].some((one) => namespaceOf(one) === undefined);
  /** Of a condition of a deny, which holds where it is not known not to. */
  const isKnownThere = ({ key, floor }: Condition): boolean =>
    floor !== 'attested' && !(unplaced && (key === keys.namespace || key === keys.k8sNamespace));

  for (const policy of policies) {
    if (policy.count === 0) continue;
    if (policy.kind !== 'MeshTrafficPermission') pairs(policy);
    else if (proxied.has(policy.mesh)) target(policy);
    else ofNoMesh(policy);
  }

  /** All rules of a permission share its target. */
  function target(policy: PolicyInfo): void {
    // Which routes an inbound has the inventory does not say.
    const conditions = destinationConditions(rules[policy.first] as Rule).filter(
      ({ key }) => key !== keys.route,
    );
    if (inbounds.find(conditions) !== undefined) return;
    const path = [...policy.path, 'targetRef'];
    report(
      policy,
      path,
      'Dataplane',
      `inbound of the mesh ${JSON.stringify(policy.mesh)}`,
      inbounds,
      conditions,
    );
  }

  /** One that nothing else is of is more often a word that was forgotten than a mesh without anything. */
  function ofNoMesh({ document, mesh }: PolicyInfo): void {
    if (meshes.size === 0 || meshes.has(mesh)) return;
    const others = [...meshes].sort(byText);
    const near = nearest(mesh, others) ?? (others.length === 1 ? others[0] : undefined);
    const { value } = ground.documents[document] as Document;
    const path =
      valueAt(value, ['metadata']) === undefined ? ['mesh'] : ['metadata', 'labels', labelNames.mesh];
    const given = valueAt(value, path) !== undefined;
    const own = `${path.length === 1 ? 'write' : 'give it the label'} "${path.at(-1)}: ${near ?? '<name>'}"`;
    ground.report(document, given ? path : [], {
      code: 'selects-nothing',
      message: `selects no inbound: nothing is of the mesh ${JSON.stringify(mesh)}${given ? '' : ', which is its mesh as it names none'}; there is ${some(others)}`,
      hint: `${own}, or add the Mesh that it is for`,
    });
  }

  /** Rules are pairs out of `from` and `to` (SPEC AP2). */
  function pairs(policy: PolicyInfo): void {
    const to = valueAt(ground.documents[policy.document]?.value, [...policy.path, 'to']);
    const width = Array.isArray(to) ? to.length : policy.count;
    for (let i = 0; i < width; i++) {
      const rule = rules[policy.first + i] as Rule;
      const conditions = destinationConditions(rule);
      const isDeny = denies(rule);
      const mine = ofThisSite(conditions)?.filter(({ key }) => !isAsked(key));
      if (mine === undefined || services.isEmpty) continue;
      if (services.find(mine) !== undefined) continue;
      if (inbounds.find(isDeny ? mine.filter(isKnownThere) : mine) !== undefined) continue;
      report(policy, [...policy.path, 'to', i], 'Service', 'service', services, mine);
    }
    for (let i = 0; i * width < policy.count; i++) {
      const { when } = rules[policy.first + i * width] as Rule;
      // Only what Kubernetes says of a workload is looked for. Where a ban lets in one sort of them, all may be of that.
      const guards = denies(rules[policy.first + i * width] as Rule);
      const mine = ofThisSite(when.filter(({ side }) => side === 'source'))?.filter(
        ({ key, op }) =>
          (key.startsWith('k8s:') || (identified && key === keys.spiffeId)) &&
          !(guards && (op === 'notIn' || op === 'notExists')),
      );
      if (mine === undefined || mine.length === 0 || workloads.isEmpty) continue;
      if (workloads.find(mine) !== undefined) continue;
      report(policy, [...policy.path, 'from', i], 'Workload', 'workload', workloads, mine);
    }
  }

  /** What is left without the site's part; undefined if it is about another site, whose things are not described here. */
  function ofThisSite(conditions: readonly Condition[]): readonly Condition[] | undefined {
    const site = inventory.site.attributes;
    const rest: Condition[] = [];
    for (const condition of conditions) {
      if (!isOfSite(condition.key)) rest.push(condition);
      else {
        const value = site.get(condition.key);
        if (!holds(condition, value === undefined ? [] : [value])) return undefined;
      }
    }
    return rest;
  }

  function report<T>(
    policy: PolicyInfo,
    path: Path,
    kind: 'Dataplane' | 'Service' | 'Workload',
    what: string,
    among: Among<T>,
    conditions: readonly Condition[],
  ): void {
    ground.report(policy.document, path, {
      code: 'selects-nothing',
      message: `selects no ${what}: ${whyNone(among, conditions)}`,
      hint: `correct the selector, or add the ${kind} that it is for`,
    });
  }
}
