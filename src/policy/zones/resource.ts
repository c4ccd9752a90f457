import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { nameOf } from '../../pdp/model/words.ts';
import type { Document } from '../document.ts';
import { type Labels, labelNames, noLabels } from '../kinds/head.ts';
import { itemsOf } from '../kinds/list.ts';
import { violation } from '../schema/issues.ts';
import { nameFlaw } from '../schema/text-flaws.ts';
import { type Travel, travelOf } from './travel.ts';

/** A document as synchronisation sees it: who it is, whatever its kind, and whether its kind travels. */
export interface Resource {
  readonly value: Fields;
  readonly kind: string;
  /** Undefined: the short form. */
  readonly apiVersion: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Empty: a kind of no mesh. */
  readonly mesh: string;
  readonly labels: Labels;
  /** Undefined: its kind does not travel. */
  readonly travel: Travel | undefined;
  /** Which document, and where in it, if it is one of a list. */
  readonly document: number;
  readonly root: Path;
}

export interface Read {
  readonly resources: readonly Resource[];
  readonly violations: readonly { readonly document: number; readonly violation: Violation }[];
}

/** Kinds that are not used elsewhere were read by nobody yet, so what a name may be is asked of all here. */
export function readResources(documents: readonly Document[]): Read {
  const resources: Resource[] = [];
  const violations: { document: number; violation: Violation }[] = [];
  for (const [document, { value: whole }] of documents.entries())
    for (const { value, path } of itemsOf(whole)) {
      if (!isFields(value)) continue;
      const read = new Reader(value, document, path);
      if (read.violations.length === 0) resources.push(...read.resources);
      for (const found of read.violations) violations.push({ document, violation: found });
    }
  return { resources, violations };
}

class Reader {
  readonly violations: Violation[] = [];
  readonly resources: Resource[] = [];

  constructor(value: Fields, document: number, root: Path) {
    const kubernetes = typeof value['apiVersion'] === 'string';
    const kind = kubernetes ? value['kind'] : value['type'];
    if (typeof kind !== 'string') return;
    const apiVersion = kubernetes ? (value['apiVersion'] as string) : undefined;
    const travel = travelOf(kind, apiVersion);
    const metadata = kubernetes ? value['metadata'] : value;
    const path = kubernetes ? [...root, 'metadata'] : root;
    if (!isFields(metadata)) {
      if (travel !== undefined)
        this.violations.push(
          violation(path, 'missing', `got ${nameOf(metadata)}, want an object with a name`),
        );
      return;
    }
    const name = this.#name(metadata['name'], [...path, 'name'], travel);
    const namespace = this.#name(metadata['namespace'] ?? undefined, [...path, 'namespace'], travel, true);
    const labels = this.#labels(metadata['labels'] ?? undefined, [...path, 'labels'], travel);
    const written = this.#name(value['mesh'] ?? undefined, [...root, 'mesh'], travel, true);
    const mesh = travel?.meshless === true ? '' : (written ?? labels[labelNames.mesh] ?? 'default');
    this.resources.push({
      value,
      kind,
      apiVersion,
      name: name ?? '',
      namespace: travel?.cluster === true ? undefined : namespace,
      mesh,
      labels,
      travel,
      document,
      root,
    });
  }

  #name(value: unknown, path: Path, travel: Travel | undefined, optional = false): string | undefined {
    if (value === undefined && optional) return undefined;
    const flaw =
      typeof value === 'string'
        ? nameFlaw(value)
        : ({
            code: value === undefined ? 'missing' : 'type',
            message: `got ${nameOf(value)}, want a string`,
          } as const);
    if (flaw !== undefined && travel !== undefined)
      this.violations.push(violation(path, flaw.code, flaw.message));
    return typeof value === 'string' ? value : undefined;
  }

  #labels(value: unknown, path: Path, travel: Travel | undefined): Labels {
    if (value === undefined) return noLabels;
    if (isFields(value) && Object.values(value).every((text) => typeof text === 'string')) {
      const labels = value as Labels;
      for (const label of [labelNames.zone, labelNames.namespace, labelNames.displayName, labelNames.mesh])
        if (Object.hasOwn(labels, label)) this.#name(labels[label], [...path, label], travel);
      return labels;
    }
    if (travel !== undefined)
      this.violations.push(violation(path, 'type', `got ${nameOf(value)}, want an object of strings`));
    return noLabels;
  }
}

/** As an owner would name it. */
export function called({ kind, namespace, name }: Pick<Resource, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
