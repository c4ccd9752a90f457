import type { Inventory } from '../pdp/model/inventory.ts';
import type { Rule } from '../pdp/model/rule.ts';
import type { Place, Violation } from '../pdp/model/violation.ts';
import { canonicalText } from './canonical.ts';
import type { Document } from './document.ts';
import { readEnvelope } from './kinds/envelope.ts';
import { foreignPaths } from './kinds/foreign.ts';
import type { Path } from './kinds/head.ts';
import { itemsOf } from './kinds/list.ts';
import { Registry } from './kinds/seen.ts';
import { levels } from './lower/access.ts';
import { policyViolations } from './lower/checks.ts';
import { inventoryOf } from './lower/inventory.ts';
import { Pool } from './lower/pool.ts';
import { lowerAll, type PolicyInfo, type Settings } from './lower/rules.ts';
import { Report } from './report.ts';

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
}

/** Hex digits of the snapshot: 128 bits. */
const snapshotLength = 32;

/** Documents to rules and inventory. Never throws for data; `digest` is SHA-256 in hex, which this folder has not. */
export function load(documents: readonly Document[], digest: (text: string) => string): Loaded {
  const report = new Report(documents);
  const ignored: Ignored[] = [];
  const digests: string[] = [];
  const seen = new Registry(report);
  for (const [index, document] of documents.entries()) {
    const canonical = canonicalText(document.value);
    if ('violations' in canonical) {
      for (const found of canonical.violations) report.add(index, found);
      continue;
    }
    let counts = false;
    for (const { value, path } of itemsOf(document.value)) {
      const read = readEnvelope(value, index, path);
      if (read.as === 'refused') for (const found of read.violations) report.add(index, found);
      if (read.as === 'ignored') ignore(index, path, read.kind, read.name);
      if (read.as === 'read') {
        const { head, spec, reading } = read;
        for (const field of foreignPaths(value, spec, head, reading))
          ignore(index, field, head.kind, head.name);
        seen.add(head, spec);
      }
      counts ||= read.as !== 'nothing';
    }
    if (counts) digests.push(digest(canonical.text));
  }

  const complain = (document: number, found: Violation) => report.add(document, found);
  const pool = new Pool();
  const strict = new Set(
    seen.meshes.flatMap((mesh) => (mesh.spec.strictPrefixes === true ? [mesh.head.name] : [])),
  );
  const policies = seen.policies.filter((policy) => {
    const found = policyViolations(policy, (mesh) => strict.has(mesh));
    for (const one of found) complain(policy.head.document, one);
    return found.length === 0;
  });
  const meshes = new Set(seen.policies.map((policy) => policy.head.mesh).filter((mesh) => mesh !== ''));
  const inventory = inventoryOf(seen, meshes, pool, complain);
  const largerWins = new Set(
    seen.meshes.flatMap((mesh) => (mesh.spec.nameOrder === 'larger-wins' ? [mesh.head.name] : [])),
  );
  const settings: Settings = {
    hierarchical: levels(inventory.site.hierarchical),
    nameOrder: (mesh: string) => (largerWins.has(mesh) ? 'smaller-first' : 'larger-first'),
  };
  const lowered = lowerAll(policies, settings, pool, complain);
  const snapshot = digest(digests.sort().join('\n')).slice(0, snapshotLength);
  return { ...lowered, inventory, snapshot, violations: report.finish(), ignored };

  function ignore(document: number, path: Path, kind: string, name: string): void {
    const place = report.place(document, path);
    ignored.push({ document, path, kind, name, ...(place === undefined ? {} : { place }) });
  }
}
