import type { Bundles } from '../bundles/store.ts';
import { type Checked, refuse } from '../evidence.ts';
import { type LastUsed, lastUsed } from '../last-used.ts';
import type { Certificate } from './certificate.ts';
import { verifyX509Svid, type X509Svid } from './svid.ts';

interface Kept {
  readonly svid: X509Svid;
  readonly version: number;
}

/**
 * Verifies certificates and remembers those that held, by the fingerprints of all that came: never beyond the end of
 * one on the path, nor beyond a change of any bundle. What was refused is looked at again, since a bundle may have come.
 */
export class X509Verifier {
  /** Certificates that were remembered, and such as had to be verified. */
  hits = 0;
  misses = 0;
  readonly #bundles: Bundles;
  readonly #now: () => number;
  readonly #kept: LastUsed<Kept>;

  constructor(bundles: Bundles, most = 10_000, now: () => number = Date.now) {
    this.#bundles = bundles;
    this.#now = now;
    this.#kept = lastUsed(most);
  }

  verify(chain: readonly Certificate[]): Checked<X509Svid> {
    const leaf = chain[0];
    if (leaf === undefined) return refuse('encoding', 'got no certificate, want at least one');
    const key = nameOf(chain);
    const kept = this.#kept.get(key);
    const now = this.#now();
    const { version } = this.#bundles;
    if (kept !== undefined) {
      const { leaf: own, validUntil } = kept.svid;
      if (kept.version === version && now >= own.notBefore && now <= validUntil) {
        this.hits++;
        return { ok: true, value: kept.svid };
      }
      this.#kept.delete(key);
    }
    this.misses++;
    const verified = verifyX509Svid(
      [leaf, ...chain.slice(1)],
      (name) => this.#bundles.authorities(name),
      now,
    );
    if (verified.ok) this.#kept.set(key, { svid: verified.value, version });
    return verified;
  }
}

/** The leaf alone proves nothing that its company did: nobody is let in by what somebody else sent before. */
function nameOf(chain: readonly Certificate[]): string {
  return chain.map(({ fingerprint }) => fingerprint).join(' ');
}
