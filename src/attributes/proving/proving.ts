import { isIP } from 'node:net';
import type { Mesh } from '../../pdp/model/inventory.ts';
import { keys } from '../../pdp/model/rule.ts';
import type { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import type { TagIdentity } from '../../pdp/model/tag-certificate.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Bundles } from '../bundles/store.ts';
import type { Checked, Refusal } from '../evidence.ts';
import type { Identified, Proof } from '../identify.ts';
import { defaultSkew } from '../jwt/claims.ts';
import { verifyJwtSvid } from '../jwt/svid.ts';
import type { Certificate } from '../x509/certificate.ts';
import { isOfTagMesh, verifyTagCertificate } from '../x509/tags.ts';
import type { X509Verifier } from '../x509/verifier.ts';

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
  /** Of two clients. */
  #otherTags = false;
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
    if (!read.ok) return this.refuse(evidence, read.refusal);
    const leaf = read.value[0];
    if (leaf !== undefined && isOfTagMesh(leaf, this.#meshes)) {
      const authorities = (name: string) => bundles.authorities(name);
      const chain = read.value as readonly [Certificate, ...Certificate[]];
      const verified = this.#held(
        evidence,
        verifyTagCertificate(chain, this.#meshes, authorities, Date.now()),
      );
      if (verified !== undefined) this.tags(verified.identity);
    } else {
      const verified = this.#held(evidence, verifier.verify(read.value));
      if (verified !== undefined) this.id(evidence, verified.spiffeId);
    }
  }

  async token(evidence: Name, token: string): Promise<void> {
    const { audiences, bundles } = this.#authorities;
    const expected = { audiences, skew: defaultSkew };
    const verified = await verifyJwtSvid(token, (name) => bundles.keys(name), expected, Date.now());
    const held = this.#held(evidence, verified);
    if (held !== undefined) this.id(evidence, held.spiffeId);
  }

  address(evidence: Name, address: string): void {
    if (isIP(address) === 0) this.refuse(evidence, { code: 'encoding', message: 'got no IP address' });
    else this.#address = address;
  }

  id(evidence: Name, id: SpiffeId): void {
    this.#ids.push({ id, evidence });
  }

  tags(identity: TagIdentity): void {
    if (this.#tags !== undefined && !areSame(this.#tags, identity)) this.#otherTags = true;
    this.#tags ??= identity;
  }

  refuse(evidence: Name, refusal: Refusal): void {
    this.refused.push({ evidence, refusal });
  }

  /** An ID, where that is all that was proved. */
  get alone(): SpiffeId | undefined {
    if (this.#ids.length !== 1 || this.refused.length > 0) return undefined;
    return this.#tags === undefined && this.#address === undefined ? this.#ids[0]?.id : undefined;
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
    const ofTags = this.#tags === undefined ? 0 : this.#otherTags ? 2 : 1;
    if (this.#ids.length + ofTags < 2) return [];
    const said = new Set(this.#ids.map(({ id }) => id.toString()));
    if (said.size + ofTags < 2) return [];
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

  /** Undefined: it did not hold, and is refused. */
  #held<T extends { readonly validUntil: number }>(evidence: Name, checked: Checked<T>): T | undefined {
    if (!checked.ok) {
      this.refuse(evidence, checked.refusal);
      return undefined;
    }
    this.#validUntil = Math.min(this.#validUntil, checked.value.validUntil);
    return checked.value;
  }
}

function areSame(one: TagIdentity, other: TagIdentity): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ mesh, tags }: TagIdentity): string {
  const all = Object.entries(tags).map(([key, values]) => [key, [values].flat().sort()] as const);
  return JSON.stringify([mesh, all.sort(([a], [b]) => byText(a, b))]);
}
