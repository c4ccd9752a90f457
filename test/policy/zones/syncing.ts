import { createHash } from 'node:crypto';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import type { Document } from '../../../src/policy/document.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { type Action, type Held, type Plan, planSync, type Side } from '../../../src/policy/zones/plan.ts';

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Documents as a server shows them, of whatever kind. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into documents
export type Value = any;

export const global: Side = { zone: undefined, systemNamespace: 'kuma-system' };
export const zone = (name: string): Side => ({ zone: name, systemNamespace: 'kuma-system' });
export const universal = (name?: string): Side => ({ zone: name, systemNamespace: undefined });

export function documentsOf(text: string, file = 'source.yaml'): Document[] {
  const { documents, violations } = parseText(text, file);
  if (violations.length > 0) throw new Error(violations.map(formatViolation).join('\n'));
  return [...documents];
}

/** A folder: its own documents, and the files that were written to it. */
export class Folder {
  readonly side: Side;
  own: Document[];
  readonly files = new Map<string, string>();

  constructor(side: Side, text = '') {
    this.side = side;
    this.own = documentsOf(text, 'own.yaml');
  }

  held(): Held[] {
    const own = this.own.map((document) => ({ document, file: 'own.yaml', alone: false }));
    const written = [...this.files].flatMap(([file, text]) =>
      documentsOf(text, file).map((document, _, all) => ({ document, file, alone: all.length === 1 })),
    );
    return [...own, ...written];
  }

  documents(): Document[] {
    return this.held().map(({ document }) => document);
  }

  copies(): Value[] {
    return [...this.files.values()].flatMap((text) => documentsOf(text).map(({ value }) => value as Value));
  }

  copy(kind: string, display: string): Value {
    const found = this.copies().filter(
      (one) => (one.kind ?? one.type) === kind && labelsOf(one)['kuma.io/display-name'] === display,
    );
    if (found.length !== 1) throw new Error(`${found.length} copies of ${kind} ${display}`);
    return found[0];
  }

  kinds(): string[] {
    return this.copies()
      .map((one) => `${one.kind ?? one.type} ${labelsOf(one)['kuma.io/display-name']}`)
      .sort();
  }
}

export function labelsOf(value: Value): Record<string, string> {
  return value.metadata?.labels ?? value.labels ?? {};
}

export function plan(from: Folder, to: Folder): Plan {
  return planSync({ from: from.side, to: to.side, source: from.documents(), target: to.held(), digest });
}

/** Does what a plan says, as the command line does it with files. */
export function sync(from: Folder, to: Folder): readonly Action[] {
  const { actions, violations } = plan(from, to);
  if (violations.length > 0) throw new Error(violations.map(formatViolation).join('\n'));
  for (const { action, file, text } of actions) {
    if (action === 'create' || action === 'update') to.files.set(file!, text!);
    if (action === 'delete') to.files.delete(file!);
  }
  return actions;
}

export function changes(actions: readonly Action[]): string[] {
  return actions
    .filter(({ action }) => action !== 'skip')
    .map(({ action, kind, name }) => `${action} ${kind} ${name}`);
}

export function reasonFor(actions: readonly Action[], kind: string, name: string): string {
  const found = actions.filter((one) => one.kind === kind && one.name === name);
  return found.map(({ action, reason }) => `${action}: ${reason}`).join('\n');
}
