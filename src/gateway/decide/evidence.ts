import type { Fields } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { isObject } from '../../pdp/model/read-request.ts';
import { requestFields, sourceFields } from '../../pdp/model/request-violations.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { nameOf, unknownField } from '../../pdp/model/words.ts';
import type { Evidence } from '../service.ts';

const most = {
  certificate: limits.certificateBytes * 2 * (1 + limits.intermediates),
  xfcc: limits.xfccBytes,
  jwt: limits.tokenBytes,
  ip: 64,
} as const satisfies Record<keyof Evidence, number>;

export const evidenceFields = Object.keys(most) as readonly (keyof Evidence)[];

export interface Body {
  /** As `decide` takes it, if it is one. */
  readonly request: unknown;
  readonly evidence?: Evidence;
  readonly violations: readonly Violation[];
}

const known = {
  source: [...sourceFields, ...evidenceFields],
  one: [...requestFields, 'explain'],
};

/** What is wrong with a request, with the fields in mind that only the service knows. */
export function hinted(violations: readonly Violation[], via: string): readonly Violation[] {
  return violations.map((violation) => {
    const { code, path } = violation;
    if (code !== 'unknown-field') return violation;
    const key = String(path.at(-1));
    const at = path.slice(0, -1).join('.');
    if (at === 'source') return { ...violation, ...unknownField(key, known.source) };
    return at === '' && via === 'decide' ? { ...violation, ...unknownField(key, known.one) } : violation;
  });
}

/** Evidence apart from what is stated. Most requests have none, and are what they are. */
export function apart(body: Fields): Body {
  const { source } = body;
  if (!isObject(source) || !carries(source)) return { request: body, violations: [] };
  const { certificate, xfcc, jwt, ip, ...stated } = source;
  return { request: { ...body, source: stated }, ...bounded({ certificate, xfcc, jwt, ip }) };
}

/** As somebody handed it over, whatever it is. */
export type GivenEvidence = { readonly [F in keyof Evidence]?: unknown };

/** What of it is evidence, and what is wrong with the rest. */
export function bounded(given: GivenEvidence): Required<Pick<Body, 'evidence' | 'violations'>> {
  const evidence: { -readonly [F in keyof Evidence]?: string } = {};
  const violations: Violation[] = [];
  for (const field of evidenceFields) {
    const value = given[field];
    if (value === undefined) continue;
    const wrong = faultOf(value, most[field]);
    if (wrong === undefined) evidence[field] = value as string;
    else violations.push({ path: ['source', field], ...wrong });
  }
  return { evidence, violations };
}

function carries({ certificate, xfcc, jwt, ip }: Fields): boolean {
  return certificate !== undefined || xfcc !== undefined || jwt !== undefined || ip !== undefined;
}

function faultOf(value: unknown, longest: number): Pick<Violation, 'code' | 'message'> | undefined {
  if (typeof value !== 'string') return { code: 'type', message: `got ${nameOf(value)}, want a string` };
  if (value === '') return { code: 'empty', message: 'got an empty string, want evidence, or no such field' };
  if (value.length > longest)
    return { code: 'limit', message: `got ${value.length} characters, want at most ${longest}` };
  return undefined;
}
