import { isIP } from 'node:net';
import type { Identified, Proof } from '../attributes/identify.ts';
import {
  type Bundles,
  type Certificate,
  type Checked,
  defaultSkew,
  isOfTagMesh,
  type Refusal,
  verifyJwtSvid,
  verifyTagCertificate,
  type X509Verifier,
} from '../attributes/index.ts';
import type { Mesh } from '../pdp/model/inventory.ts';
import { keys } from '../pdp/model/rule.ts';
import type { SpiffeId } from '../pdp/model/spiffe-id.ts';
import type { TagIdentity } from '../pdp/model/tag-certificate.ts';

/** What evidence is checked with. */
export interface Authorities {
  readonly bundles: Bundles;
  readonly verifier: X509Verifier;
  /** Who we are to those who make tokens. */
  readonly audiences: readonly string[];
}

/** Pieces of evidence by name, each by itself: one that is refused does not spoil the others, and is not hidden by them. */
export class Proving<Name extends string> {
  readonly refused: { readonly evidence: Name; readonly refusal: Refusal }[] = [];
  #ids: { readonly id: SpiffeId; readonly evidence: Name }[] = [];
  #tags: TagIdentity | undefined;
  #address: string | undefined;
  #validUntil = Number.POSITIVE_INFINITY;
  readonly #authorities: Authorities;
  readonly #meshes: ReadonlyMap<string, Mesh>;

  constructor(authorities: Authorities, meshes: ReadonlyMap<string, Mesh>) {
    this.#authorities = authorities;
    this.#meshes = meshes;
  }

  certificates(evidence: Name, read: Checked<readonly Certificate[]>): void {
    const { bundles, verifier } = this.#authorities;
    const [leaf, ...rest] = read.ok ? read.value : [];
    if (leaf !== undefined && isOfTagMesh(leaf, this.#meshes)) {
      const authorities = (name: string) => bundles.authorities(name);
      const verified = verifyTagCertificate([leaf, ...rest], this.#meshes, authorities, Date.now());
      this.#take(evidence, verified, ({ identity }) => this.tags(identity));
    } else {
      const verified = read.ok ? verifier.verify(read.value) : read;
      this.#take(evidence, verified, ({ spiffeId }) => this.id(evidence, spiffeId));
    }
  }

  async token(evidence: Name, token: string): Promise<void> {
    const { audiences, bundles } = this.#authorities;
    const expected = { audiences, skew: defaultSkew };
    const verified = await verifyJwtSvid(token, (name) => bundles.keys(name), expected, Date.now());
    this.#take(evidence, verified, ({ spiffeId }) => this.id(evidence, spiffeId));
  }

  address(evidence: Name, address: string): void {
    if (isIP(address) === 0) this.refuse(evidence, { code: 'encoding', message: 'got no IP address' });
    else this.#address = address;
  }

  id(evidence: Name, id: SpiffeId): void {
    this.#ids.push({ id, evidence });
  }

  tags(identity: TagIdentity): void {
    this.#tags = identity;
  }

  refuse(evidence: Name, refusal: Refusal): void {
    this.refused.push({ evidence, refusal });
  }

  /** An ID, where that is all that was proved. */
  get alone(): SpiffeId | undefined {
    const [first, ...more] = this.#ids;
    const others = more.length > 0 || this.#tags !== undefined || this.#address !== undefined;
    return others || this.refused.length > 0 ? undefined : first?.id;
  }

  get proof(): Proof {
    return {
      ...(this.#ids[0] === undefined ? {} : { spiffeId: this.#ids[0].id }),
      ...(this.#tags === undefined ? {} : { tags: this.#tags }),
      ...(this.#address === undefined ? {} : { address: this.#address }),
    };
  }

  /** Pieces of evidence of different clients. */
  get conflicts(): Identified['conflicts'] {
    const said = new Set(this.#ids.map(({ id }) => id.toString()));
    if (said.size + (this.#tags === undefined ? 0 : 1) < 2) return [];
    const key = keys.spiffeId;
    const values = this.#ids.map(({ id, evidence }) => ({
      key,
      value: id.toString(),
      trust: 'attested' as const,
      source: evidence,
    }));
    return [{ key, values }];
  }

  /** The first moment at which some of it no longer counts. */
  get validUntil(): number | undefined {
    return Number.isFinite(this.#validUntil) ? this.#validUntil : undefined;
  }

  #take<T extends { readonly validUntil: number }>(
    evidence: Name,
    checked: Checked<T>,
    use: (value: T) => void,
  ): void {
    if (!checked.ok) return this.refuse(evidence, checked.refusal);
    this.#validUntil = Math.min(this.#validUntil, checked.value.validUntil);
    use(checked.value);
  }
}
