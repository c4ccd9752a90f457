import { limits } from './limits.ts';
import {
  type Fault,
  inPath,
  inTrustDomain,
  scheme,
  spiffeIdFault,
  trustDomainEnd,
  trustDomainFault,
} from './spiffe-fault.ts';

/** SPIFFE ID standard §2. Parsed once into values that cannot be built otherwise; nothing is decoded or folded. */

export { type Fault, spiffeIdFault };

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

const slash = 0x2f;
const dot = 0x2e;

export class TrustDomain {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  static parse(text: string): Parsed<TrustDomain> {
    const fault = trustDomainFault(text, 0, text.length);
    return fault === undefined ? { ok: true, value: new TrustDomain(text) } : { ok: false, fault };
  }

  toString(): string {
    return this.#name;
  }
}

export class SpiffeId {
  readonly #text: string;
  readonly #trustDomain: TrustDomain;

  private constructor(text: string, trustDomain: TrustDomain) {
    this.#text = text;
    this.#trustDomain = trustDomain;
  }

  get trustDomain(): TrustDomain {
    return this.#trustDomain;
  }

  /** Empty, or led by a slash. */
  get path(): string {
    return this.#text.slice(scheme.length + this.#trustDomain.name.length);
  }

  static parse(text: string): Parsed<SpiffeId> {
    const fault = spiffeIdFault(text);
    if (fault !== undefined) return { ok: false, fault };
    const trustDomain = TrustDomain.parse(text.slice(scheme.length, trustDomainEnd(text)));
    return trustDomain.ok ? { ok: true, value: new SpiffeId(text, trustDomain.value) } : trustDomain;
  }

  toString(): string {
    return this.#text;
  }
}

/** Runs for every request: one pass, no allocation. `spiffeIdFault` says the same in words. */
export function isSpiffeId(text: string): boolean {
  const length = text.length;
  if (length > limits.spiffeIdBytes || !text.startsWith(scheme)) return false;
  let at = scheme.length;
  while (at < length && inTrustDomain(text.charCodeAt(at))) at++;
  const size = at - scheme.length;
  if (size === 0 || size > limits.trustDomainBytes) return false;
  while (at < length) {
    if (text.charCodeAt(at) !== slash) return false;
    const start = ++at;
    let dots = 0;
    while (at < length) {
      const code = text.charCodeAt(at);
      if (!inPath(code)) break;
      if (code === dot) dots++;
      at++;
    }
    const segment = at - start;
    if (segment === 0 || (segment === dots && segment <= 2)) return false;
  }
  return true;
}

export const schemeLength = 'spiffe://'.length;

/** Of an ID that is known to be one. */
export function trustDomainOf(spiffeId: string): string {
  const slash = spiffeId.indexOf('/', schemeLength);
  return slash < 0 ? spiffeId.slice(schemeLength) : spiffeId.slice(schemeLength, slash);
}
