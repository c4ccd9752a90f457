import { byText } from '../../pdp/model/text.ts';
import type { Place, Violation } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import type { Resource } from './resource.ts';

export interface Action {
  readonly action: 'create' | 'update' | 'delete' | 'skip';
  readonly kind: string;
  readonly namespace?: string;
  /** As its owner calls it; of a copy without a source, the copy's. */
  readonly name: string;
  readonly reason: string;
  /** Where the document that this is about stands. */
  readonly place?: Place;
  /** The file of the copy, from the folder, and what is to be in it. */
  readonly file?: string;
  readonly text?: string;
}

export interface Plan {
  readonly actions: readonly Action[];
  /** With any of these nothing may be done. */
  readonly violations: readonly Violation[];
}

/** Collects what is to be done and what forbids it. */
export class Outcome {
  readonly #actions: Action[] = [];
  readonly #violations: Violation[] = [];

  /** `documents`: those that the resource was read from. */
  act(
    action: Action['action'],
    resource: Resource,
    documents: readonly Document[],
    reason: string,
    copy: Pick<Action, 'file' | 'text'> = {},
  ): void {
    const { kind, namespace, name, document, root } = resource;
    const place = documents[document]?.place(root);
    this.#actions.push({
      action,
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      reason,
      ...(place === undefined ? {} : { place }),
      ...copy,
    });
  }

  refuse(document: Document | undefined, found: Violation): void {
    const place = document?.place(found.path);
    this.#violations.push(place === undefined ? found : { ...found, place });
  }

  plan(): Plan {
    return { actions: this.#actions.sort(byPlan), violations: this.#violations };
  }
}

const order: readonly Action['action'][] = ['create', 'update', 'delete', 'skip'];

/** Whatever the order of documents: what is written first, then by name. */
function byPlan(a: Action, b: Action): number {
  return (
    order.indexOf(a.action) - order.indexOf(b.action) ||
    byText(a.kind, b.kind) ||
    byText(a.namespace ?? '', b.namespace ?? '') ||
    byText(a.name, b.name) ||
    byText(a.file ?? '', b.file ?? '') ||
    byText(a.reason, b.reason)
  );
}
