import { createEngine, type Engine } from './pdp/engine.ts';
import type { Explanation } from './pdp/explain.ts';
import type { Decision } from './pdp/model/decision.ts';
import type { Channel } from './pdp/model/request.ts';
import { formatViolation, type Violation } from './pdp/model/violation.ts';
import type { Document, Reading } from './policy/document.ts';
import { documentsGiven } from './policy/given.ts';
import { loadShipped } from './policy/shipped.ts';

export type { Explanation } from './pdp/explain.ts';
export type { By, Decision, Reason } from './pdp/model/decision.ts';
export type {
  Channel,
  Request,
  RequestDestination,
  RequestParts,
  RequestSource,
  StatedAttributes,
  StatedValue,
} from './pdp/model/request.ts';
export { channelOf, operatorChannel, type Role, roles } from './pdp/model/request.ts';
export type { Effect, Tier, WrittenEffect } from './pdp/model/rule.ts';
export type { Trust } from './pdp/model/trust.ts';
export type { Place, Violation, ViolationCode } from './pdp/model/violation.ts';
export type { Document, Reading } from './policy/document.ts';
export { readPaths } from './policy/files.ts';
export { parseText } from './policy/text/parse.ts';

export interface Placet {
  /** Never throws for data: what is no request is denied with `invalid-request`. */
  decide(request: unknown): Decision;
  explain(request: unknown): Explanation;
  /** A hash over the documents, the same in whatever order they come. */
  readonly snapshot: string;
  /** What all decisions so far went through: nodes, columns of tables, conditions without one. */
  readonly visited: number;
}

export class InvalidDocuments extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations.map(formatViolation).join('\n'));
    this.name = 'InvalidDocuments';
    this.violations = violations;
  }
}

/**
 * Opens what `readPaths` or `parseText` gave, or a list of documents and plain objects. A set with anything wrong in
 * it is refused whole, with everything that is wrong: also with what could not be read, which may have been a deny.
 */
export function open(
  documents: Reading | readonly (Document | object)[],
  options: { readonly channel?: Channel } = {},
): Placet {
  const given = documentsGiven(documents);
  const loaded = loadShipped(given.documents);
  const violations = [...given.violations, ...loaded.violations];
  if (violations.length > 0) throw new InvalidDocuments(violations);
  return new Opened(createEngine(loaded.rules, loaded.inventory, loaded.snapshot), options.channel);
}

/** Of a class, since a literal with a getter is a dictionary, in which `decide` is looked up for each decision. */
class Opened implements Placet {
  readonly decide: Placet['decide'];
  readonly explain: Placet['explain'];
  readonly snapshot: string;
  readonly #engine: Engine;

  constructor(engine: Engine, channel: Channel | undefined) {
    this.decide = (request) => engine.decide(request, channel);
    this.explain = (request) => engine.explain(request, channel);
    this.snapshot = engine.snapshot;
    this.#engine = engine;
  }

  get visited(): number {
    return this.#engine.visited();
  }
}
