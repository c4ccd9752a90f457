import { Ascii } from './ascii.ts';
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

export { spiffeIdFault };

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

export const schemeLength = scheme.length;
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

const schemeBytes = Uint8Array.from(scheme, (char) => char.charCodeAt(0));
/** What may stand in a path; a slash; what makes a segment odd that it begins, or ends at once. */
const legalBit = 1;
const slashBit = 2;
/** One bit up from that of a slash: moved up, the classes of the unit before tell whether this one comes after it. */
const afterSlashBit = slashBit << 1;
const classes = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code === slash) return legalBit | slashBit | afterSlashBit;
  return (inPath(code) ? legalBit : 0) | (code === dot ? afterSlashBit : 0);
});

/** One ID after another as bytes. */
export class SpelledId extends Ascii {
  constructor() {
    super(limits.spiffeIdBytes);
  }

  /** False of what is none; `spiffeIdFault` says the same in words. */
  read(text: string): boolean {
    return this.copy(text) && this.isSpelled(0);
  }

  /** Whether the bytes are an ID, of which so many begin something that `beginsId` holds for. */
  protected isSpelled(known: number): boolean {
    const { bytes, length } = this;
    const start = scheme.length;
    let path = start;
    while (path < known && bytes[path] !== slash) path++;
    return path < known ? isPath(bytes, path, known - 1, length) : isId(bytes, length);
  }
}

const scratch = new SpelledId();

export function isSpiffeId(text: string): boolean {
  return scratch.read(text);
}

/** Whether a text, if it goes beyond a trust domain, begins an ID wherever it is cut off there. */
export function beginsId(text: string): boolean {
  return !text.includes('/', schemeLength) || (!text.includes('/.') && isSpiffeId(`${text}a`));
}

function isId(bytes: Uint8Array, length: number): boolean {
  const start = scheme.length;
  if (length <= start) return false;
  for (let i = 0; i < start; i++) if (bytes[i] !== schemeBytes[i]) return false;
  let at = start;
  while (at < length && inTrustDomain(bytes[at] as number)) at++;
  const size = at - start;
  if (size === 0 || size > limits.trustDomainBytes) return false;
  if (at === length) return true;
  return bytes[at] === slash && isPath(bytes, at, at, length);
}

/** Runs for every request: one pass over what is not known, with no branch that depends on where segments end. */
function isPath(bytes: Uint8Array, path: number, known: number, length: number): boolean {
  let all = legalBit;
  let odd = 0;
  let before = 0;
  for (let at = known; at < length; at++) {
    const one = classes[bytes[at] as number] as number;
    all &= one;
    odd |= (before << 1) & one;
    before = one;
  }
  if (all === 0 || (before & slashBit) !== 0) return false;
  return (odd & afterSlashBit) === 0 || areSegments(bytes, path, length);
}

/** Whether no segment is empty or one or two dots: to ask where a slash has a slash or a dot after it. */
function areSegments(bytes: Uint8Array, path: number, length: number): boolean {
  for (let at = path + 1, start = at, dots = 0; at <= length; at++) {
    if (at < length && bytes[at] !== slash) {
      if (bytes[at] === dot) dots++;
      continue;
    }
    const segment = at - start;
    if (segment === 0 || (segment === dots && segment <= 2)) return false;
    start = at + 1;
    dots = 0;
  }
  return true;
}

/** Of an ID that is known to be one. */
export function trustDomainOf(spiffeId: string): string {
  const slash = spiffeId.indexOf('/', schemeLength);
  return slash < 0 ? spiffeId.slice(schemeLength) : spiffeId.slice(schemeLength, slash);
}
