import type { Stated, StatedAttributes } from '../model/request.ts';
import { trustRank } from '../model/trust.ts';
import type { Attached } from './attach.ts';
import { Cells } from './cells.ts';
import { attributeStride } from './compile.ts';
import { interned } from './fingerprint.ts';
import type { Identity } from './identity.ts';
import type { Keeper } from './kept-cells.ts';
import { type Say, Way, wayOf } from './ways.ts';
import { nameBits, nameOf, statedOf } from './well-known.ts';
import { statedIn, WrittenAttributes } from './written.ts';

/** Who else has a say in what a request states. */
export interface Sources {
  readonly destination: {
    readonly outright: StatedAttributes | WrittenAttributes | undefined;
    readonly namespace: string | undefined;
    readonly target: Keeper | undefined;
  };
  /** The SPIFFE ID, where there is one. */
  readonly identity: Identity;
  saysOf(key: string): Say;
  /** Of a stated string of a key that the template may give too. */
  corroborated(key: string): number;
}

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { stated: byStated, outright: byOutright, namespace: byNamespace, identity: byIdentity } = Way;
const byBoth = Way.corroborated;
const meetsAll = trustRank.attested;
const nameMask = (1 << nameBits) - 1;
export const tailBits = nameBits + 1;

/** The strings of one request that settle attributes, and the trust of each. */
export class Given extends Cells {
  /** What is stated of the source; the trust of that, and of what is stated of a destination given outright. */
  protected stated: StatedAttributes | WrittenAttributes | undefined;
  protected statedTrust = 0;
  protected readonly destination: Sources['destination'];
  protected readonly keys: readonly string[];
  /** Whether anything is stated in a text that was not made objects of: to ask that of each value costs more. */
  protected isWritten = false;
  /** Per attribute but the SPIFFE ID: its tail if it is known by the fingerprint of a string and nothing else, or 0. */
  protected readonly simple: Int32Array;
  /**
   * Per attribute that is settled by a stated string and nothing else: its tail from `tailBits` on, below it the number of
   * its name, in bit 0 whose statement it is. Of others 0.
   */
  protected readonly plain: Int32Array;
  readonly #sources: Sources;
  /** Per attribute, a `Way`. */
  readonly #ways: Uint8Array;
  /** Whether nothing but itself says what the SPIFFE ID is. */
  #isAlone = false;
  #identityTrust = 0;

  constructor({ compiled, keys }: Attached, sources: Sources) {
    super(keys.length);
    this.keys = keys;
    this.#sources = sources;
    this.destination = sources.destination;
    this.#ways = Uint8Array.from(keys, (key, id) =>
      wayOf(compiled.attributes[id * attributeStride + 1] as number, key, sources.saysOf(key)),
    );
    this.simple = Int32Array.from(keys, (_, id) => {
      const root = compiled.attributes[id * attributeStride + 3] as number;
      const tail = compiled.attributes[id * attributeStride + 5] as number;
      return root < 0 && tail !== interned && this.#ways[id] !== byIdentity ? tail : 0;
    });
    this.plain = this.simple.map((tail, id) => {
      const way = this.#ways[id];
      if (tail === 0 || (way !== byStated && way !== byOutright)) return 0;
      return (tail << tailBits) | (nameOf(keys[id] as string) << 1) | (way === byOutright ? 1 : 0);
    });
  }

  protected give(
    stated: StatedAttributes | WrittenAttributes | undefined,
    trust: number,
    isAlone: boolean,
    identityTrust: number,
  ): void {
    this.stated = stated;
    this.isWritten =
      stated instanceof WrittenAttributes || this.destination.outright instanceof WrittenAttributes;
    this.statedTrust = trust;
    this.#isAlone = isAlone;
    this.#identityTrust = identityTrust;
  }

  /** What is stated of an attribute, for what `plain` says of it; nothing where it stands in a text. */
  protected statedPlainly(attribute: number, plain: number): Stated | undefined {
    const stated = (plain & 1) === 0 ? this.stated : this.destination.outright;
    if (stated === undefined || this.isWritten) return undefined;
    return statedOf(stated as StatedAttributes, (plain >> 1) & nameMask, this.keys[attribute] as string);
  }

  /** The `Way` to what settles an attribute. */
  protected wayTo(attribute: number): number {
    return this.#ways[attribute] as number;
  }

  /** What settles an attribute, if it is a string. */
  protected given(attribute: number, way: number): unknown {
    if (way === byIdentity) return this.#isAlone ? this.#sources.identity.text : undefined;
    if (way === byNamespace) return this.destination.namespace;
    const stated = this.#statedBy(way);
    const key = this.keys[attribute] as string;
    return this.isWritten
      ? statedIn(stated, attribute, key)
      : (stated as StatedAttributes | undefined)?.[key];
  }

  /** The trust of that. */
  protected trustOfGiven(attribute: number, way: number): number {
    if (way === byStated || way === byOutright) return this.statedTrust;
    if (way === byNamespace) return meetsAll;
    if (way === byIdentity) return this.#identityTrust;
    return way === byBoth ? this.#sources.corroborated(this.keys[attribute] as string) : this.statedTrust;
  }

  /** Where an attribute is stated in a text, if it is; there is no other way then. */
  protected written(attribute: number): WrittenAttributes | undefined {
    const stated = this.#statedBy(this.wayTo(attribute));
    return stated instanceof WrittenAttributes ? stated : undefined;
  }

  #statedBy(way: number): StatedAttributes | WrittenAttributes | undefined {
    if (way === byStated || way === byBoth) return this.stated;
    return way === byOutright ? this.destination.outright : undefined;
  }
}
