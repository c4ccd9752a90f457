import { limits } from '../../pdp/model/limits.ts';
import { accept, type Checked, type Refusal, refuse } from '../evidence.ts';
import { checkAlgorithm, checkKey, named } from './algorithms.ts';
import type { Certificate } from './certificate.ts';
import { maySignForBothSides } from './purposes.ts';

/** A way from a leaf to an authority of a bundle, the leaf first. */
export type Path = readonly [Certificate, ...Certificate[]];

/**
 * Builds the path by RFC 5280 §6.1, as far as SPIFFE needs it: names chain, every signature holds, every authority
 * may sign and is valid now. Intermediates are only hints: they are tried in the order they come, and how much is
 * tried is bounded, so that a client cannot make us search.
 */
function buildPath(
  leaf: Certificate,
  intermediates: readonly Certificate[],
  authorities: readonly Certificate[],
  now: number,
): Checked<Path> {
  const search = new Search(intermediates, authorities, now);
  const path = search.from([leaf], leaf);
  if (path !== undefined) return accept(path);
  const { refusal } = search;
  if (refusal !== undefined) return { ok: false, refusal };
  return refuse(
    'unknown-authority',
    `got ${named(leaf.subjectText)} signed by an authority that is not in the bundle, want a path to one of its ${authorities.length}`,
  );
}

/** Until when a leaf is vouched for by an authority; a leaf that is not valid now is not looked for. */
export function vouchedUntil(
  [leaf, ...intermediates]: Path,
  authorities: readonly Certificate[],
  now: number,
): Checked<number> {
  const valid = checkTime(leaf, now);
  if (!valid.ok) return valid;
  const path = buildPath(leaf, intermediates, authorities, now);
  return path.ok ? accept(Math.min(...path.value.map(({ notAfter }) => notAfter))) : path;
}

class Search {
  /** Why the first way that was found does not lead to the end; what is refused later says less. */
  refusal: Refusal | undefined;
  readonly #intermediates: readonly Certificate[];
  readonly #authorities: ReadonlySet<Certificate>;
  readonly #now: number;
  #steps = 0;

  constructor(intermediates: readonly Certificate[], authorities: readonly Certificate[], now: number) {
    this.#intermediates = intermediates;
    this.#authorities = new Set(authorities);
    this.#now = now;
  }

  from(path: Path, last: Certificate): Path | undefined {
    for (const authority of this.#authorities) {
      if (this.#signed(last, authority, path.length - 1)) return [...path, authority];
    }
    if (path.length > limits.intermediates) {
      this.#note({ code: 'limit', message: `got a path of more than ${limits.intermediates} intermediates` });
      return undefined;
    }
    for (const intermediate of this.#intermediates) {
      if (path.some(({ fingerprint }) => fingerprint === intermediate.fingerprint)) continue;
      if (!this.#signed(last, intermediate, path.length - 1)) continue;
      const found = this.from([...path, intermediate], intermediate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Whether `issuer` may have signed `of` and has; `below` authorities stand between it and the leaf. */
  #signed(of: Certificate, issuer: Certificate, below: number): boolean {
    if (of.issuer !== issuer.subject) return false;
    if (++this.#steps > limits.pathSteps) {
      this.#note({ code: 'limit', message: `got more than ${limits.pathSteps} ways to an authority` });
      return false;
    }
    const checked = checkIssuer(issuer, below, this.#now);
    const algorithm = checked.ok ? checkAlgorithm(of) : checked;
    if (!algorithm.ok) {
      this.#note(algorithm.refusal);
      return false;
    }
    if (verifies(of, issuer)) return true;
    const message = `got ${named(of.subjectText)}, whose signature is not that of ${issuer.subjectText}`;
    this.#note({ code: 'signature', message });
    return false;
  }

  #note(refusal: Refusal): void {
    this.refusal ??= refusal;
  }
}

/** Their OID 2.5.29.30, as it is encoded. */
const nameConstraints = '551d1e';

function checkIssuer(issuer: Certificate, below: number, now: number): Checked<true> {
  const who = named(issuer.subjectText);
  if (!issuer.isAuthority) return refuse('not-ca', `got ${who} as a signer, want an authority's`);
  if (issuer.keyUsage !== undefined && !issuer.keyUsage.keyCertSign)
    return refuse('key-usage', `got ${who} as a signer, want one that may sign certificates (keyCertSign)`);
  // RFC 5280 says it of the key alone; what verifies for TLS, and we, of all that stands below (decision 025).
  if (!maySignForBothSides(issuer))
    return refuse(
      'extended-key-usage',
      `got ${who} as a signer whose extended key usage lacks serverAuth or clientAuth, want both, any or none`,
    );
  // They bind whatever stands below, critical or not (RFC 5280 §6.1.4 (g)), and whoever may not look must not go on.
  if (issuer.extensions.has(nameConstraints))
    return refuse(
      'extension',
      `got name constraints on ${who}, which are not understood, want an authority without`,
    );
  if (issuer.notUnderstood.length > 0)
    return refuse(
      'extension',
      `got the critical extension ${issuer.notUnderstood[0]} on ${who}, which is not understood`,
    );
  if (issuer.pathLength !== undefined && below > issuer.pathLength)
    return refuse('path-length', `got ${below} authorities below ${who}, want at most ${issuer.pathLength}`);
  const valid = checkTime(issuer, now);
  return valid.ok ? checkKey(issuer.key, who) : valid;
}

function checkTime({ notBefore, notAfter, subjectText }: Certificate, now: number): Checked<true> {
  if (now < notBefore)
    return refuse(
      'not-yet-valid',
      `got ${named(subjectText)}, which is valid from ${iso(notBefore)} on, want one valid now`,
    );
  if (now > notAfter)
    return refuse(
      'expired',
      `got ${named(subjectText)}, which expired at ${iso(notAfter)}, want one valid now`,
    );
  return accept(true);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function verifies(of: Certificate, issuer: Certificate): boolean {
  try {
    return of.native.verify(issuer.key);
  } catch {
    // A key and a signature of different kinds.
    return false;
  }
}
