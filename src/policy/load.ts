import type { Inventory } from '../pdp/model/inventory.ts';
import type { Rule } from '../pdp/model/rule.ts';
import type { Path, Place, Violation } from '../pdp/model/violation.ts';
import { canonicalText } from './canonical.ts';
import type { Document } from './document.ts';
import { type Builtin, descriptionsIn, descriptionViolation } from './kinds/descriptions.ts';
import { readEnvelope } from './kinds/envelope.ts';
import { foreignPaths } from './kinds/foreign.ts';
import { type Head, systemNamespace } from './kinds/head.ts';
import type { Kind } from './kinds/kind.ts';
import { itemsOf } from './kinds/list.ts';
import { withDescribed } from './kinds/registry.ts';
import { Registry } from './kinds/seen.ts';
import { levels } from './lower/access.ts';
import { policyViolations } from './lower/checks.ts';
import { inventoryOf } from './lower/inventory.ts';
import { Pool } from './lower/pool.ts';
import { lowerAll, type PolicyInfo, type Settings } from './lower/rules.ts';
import { flawedBeside } from './readings.ts';
import { Refused } from './refused.ts';
import { Report } from './report.ts';
import { assemble } from './targets/assemble.ts';
import { soundTargets } from './targets/checks.ts';
import { posingViolation } from './targets/namespaces.ts';
import type { NameOrder } from './targets/order.ts';
import type { PolicyKind } from './targets/policy-kind.ts';
import { sayReferences } from './targets/references.ts';
import type { Resources } from './targets/resources.ts';
import { type Status, Statuses } from './targets/status.ts';
import type { Targeted } from './targets/targeted.ts';

export type { PolicyInfo } from './lower/rules.ts';

/** Documents, or fields of documents, that others read and Placet does not. */
export interface Ignored {
  readonly document: number;
  readonly path: Path;
  readonly kind: string;
  readonly name: string;
  readonly place?: Place;
}

export interface Loaded {
  /** In policy order, then by position in the policy. */
  readonly rules: readonly Rule[];
  readonly inventory: Inventory;
  readonly snapshot: string;
  readonly violations: readonly Violation[];
  readonly ignored: readonly Ignored[];
  readonly policies: readonly PolicyInfo[];
  /** Sound policies of described kinds, and permissions. */
  readonly targeted: readonly Targeted[];
  readonly resources: Resources;
  /** Described kinds by name. */
  readonly kinds: ReadonlyMap<string, PolicyKind>;
  /** What the document of a mesh says of names of policies. */
  readonly nameOrder: (mesh: string) => NameOrder | undefined;
  /** What is wrong and stops nothing. */
  readonly statuses: readonly Status[];
}

/** Hex digits of the snapshot: 128 bits. */
const snapshotLength = 32;

/**
 * Documents to rules, policies and inventory. Never throws for data; `digest` is SHA-256 in hex, which only files.ts
 * has of its own; `builtin` describes the kinds that come with Placet, `copiesIn` is where synchronised copies
 * lie, null where it is asked otherwise who documents are of. Of documents as a reading gave them it also says what
 * is wrong with those beside them in which a key stands twice.
 */
export function load(
  documents: readonly Document[],
  digest: (text: string) => string,
  builtin: Builtin = [],
  copiesIn: string | null = systemNamespace,
): Loaded {
  const flawed = flawedBeside(documents);
  const report = new Report([...documents, ...flawed]);
  const ignored: Ignored[] = [];
  const digests: string[] = [];
  const seen = new Registry(report);
  const described = descriptionsIn(builtin, documents);
  const kinds = withDescribed(described.values());
  const complain = (document: number, found: Violation) => report.add(document, found);
  const refused = new Refused(complain);
  for (const [index, document] of documents.entries()) {
    const canonical = canonicalText(document.value);
    if ('violations' in canonical) {
      for (const found of canonical.violations) complain(index, found);
      continue;
    }
    let counts = false;
    for (const { value, path } of itemsOf(document.value)) {
      const read = readEnvelope(value, index, path, kinds);
      if (read.as === 'refused') refused.add(index, read);
      if (read.as === 'ignored') ignore(index, path, read.kind, read.name);
      if (read.as === 'read') {
        const { head, spec, kind, reading } = read;
        for (const field of foreignPaths(value, spec, head, reading))
          ignore(index, field, head.kind, head.name);
        const posing = posingOf(head, kind);
        if (posing !== undefined) {
          complain(index, posing);
          continue;
        }
        const misnamed = descriptionViolation(head);
        if (misnamed !== undefined) complain(index, misnamed);
        seen.add(head, spec, kind);
      }
      counts ||= read.as !== 'nothing';
    }
    if (counts) digests.push(digest(canonical.text));
  }
  for (const [at, { value, unread }] of flawed.entries()) {
    const index = documents.length + at;
    for (const item of itemsOf(value))
      refused.addFlawed(index, readEnvelope(item.value, index, item.path, kinds), unread ?? []);
  }

  const statuses = new Statuses((document, path) => report.place(document, path));
  const whereabouts = (head: Targeted['head']) => report.whereabouts(head.document, head.root);
  const assembled = assemble(seen, described, whereabouts, statuses.say);
  const { policies: targeted, resources } = soundTargets(
    assembled,
    described,
    seen.sites.length > 0,
    complain,
  );
  const sound = new Set(targeted.map(({ head }) => head));
  const strict = new Set([
    ...seen.meshes.flatMap((mesh) => (mesh.spec.strictPrefixes === true ? [mesh.head.name] : [])),
    ...refused.strictMeshes(),
  ]);
  const isStrict = (mesh: string) => strict.has(mesh);
  refused.sayTheRest(seen, posingOf, isStrict);
  const policies = seen.policies.filter((policy) => {
    const found = policyViolations(policy.head, policy.spec, isStrict);
    for (const one of found) complain(policy.head.document, one);
    return found.length === 0 && (policy.head.kind !== 'MeshTrafficPermission' || sound.has(policy.head));
  });
  const meshes = new Set(seen.policies.map((policy) => policy.head.mesh).filter((mesh) => mesh !== ''));
  const pool = new Pool();
  const inventory = inventoryOf(seen, meshes, pool, complain);
  const orders = new Map(seen.meshes.map(({ head, spec }) => [head.name, spec.nameOrder]));
  const nameOrder = (mesh: string) => orders.get(mesh);
  const settings: Settings = { hierarchical: levels(inventory.site.hierarchical), nameOrder };
  const lowered = lowerAll(policies, settings, pool, complain);
  sayReferences(targeted, resources, inventory, statuses.say);
  const snapshot = digest(digests.sort().join('\n')).slice(0, snapshotLength);
  return {
    ...lowered,
    inventory,
    snapshot,
    violations: report.finish(),
    ignored,
    targeted,
    resources,
    kinds: described,
    nameOrder,
    statuses: statuses.finish(),
  };

  /** A proxy's label says where its workload runs; it gives nobody a say in anything. */
  function posingOf(head: Head, kind: Kind): Violation | undefined {
    const says = kind.mesh && head.kind !== 'Dataplane';
    return says && copiesIn !== null ? posingViolation(head, copiesIn) : undefined;
  }

  function ignore(document: number, path: Path, kind: string, name: string): void {
    const place = report.place(document, path);
    ignored.push({ document, path, kind, name, ...(place === undefined ? {} : { place }) });
  }
}
