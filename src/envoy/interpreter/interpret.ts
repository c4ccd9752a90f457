import { formatViolation, type Violation } from '../../pdp/model/violation.ts';
import { Cursor } from './cursor.ts';
import type { HttpRequest, Peer, Verdict } from './evidence.ts';
import { type RbacFilter, readFilter, readRbacConfig } from './filter.ts';
import { tooDeep } from './nesting.ts';

/** A filter that Envoy would refuse, or that has something in it which is not evaluated here. */
export class NotInterpreted extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations.map(formatViolation).join('\n'));
    this.name = 'NotInterpreted';
    this.violations = violations;
  }
}

export type Read =
  | { readonly filter: RbacFilter }
  | { readonly filter: undefined; readonly violations: readonly Violation[] };

/** Reads an RBAC filter as configurations have it (`name`, `typed_config`), with all that is wrong with it. */
export function readRbac(json: unknown): Read {
  const violations: Violation[] = [];
  const filter = readFilter(new Cursor(json, [], (violation) => violations.push(violation)));
  return filter !== undefined && violations.length === 0 ? { filter } : { filter: undefined, violations };
}

/** Reads what an HTTP filter has instead of its own configuration on a route: the message `RBAC` without a name. */
export function readPerRoute(json: unknown): Read {
  const violations: Violation[] = [];
  const cursor = new Cursor(json, [], (violation) => violations.push(violation));
  const deep = tooDeep(json);
  const filter = deep === undefined ? readRbacConfig(cursor, 'http') : cursor.refuse('limit', deep);
  return filter !== undefined && violations.length === 0 ? { filter } : { filter: undefined, violations };
}

/** What Envoy would say. For many requests, read the filter once. */
export function interpret(json: unknown, peer: Peer, request?: HttpRequest): Verdict {
  const read = readRbac(json);
  if (read.filter === undefined) throw new NotInterpreted(read.violations);
  return read.filter.decide({ peer, ...(request === undefined ? {} : { request }) });
}
