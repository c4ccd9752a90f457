import type { Ascii } from '../model/ascii.ts';
import type { StatedAttributes } from '../model/request.ts';
import { trustRank } from '../model/trust.ts';
import type { Attached } from './attach.ts';
import { Cells } from './cells.ts';
import { attributeStride } from './compile.ts';
import type { Keeper } from './kept-cells.ts';
import { type Say, Way, wayOf } from './ways.ts';
import { statedIn, WrittenAttributes } from './written.ts';

/** Who else has a say in what a request states. */
export interface Sources {
  readonly destination: {
    readonly outright: StatedAttributes | WrittenAttributes | undefined;
    readonly namespace: string | undefined;
    readonly target: Keeper | undefined;
  };
  /** The SPIFFE ID, where there is one. */
  readonly identity: Ascii;
  saysOf(key: string): Say;
  /** Of a stated string of a key that the template may give too. */
  corroborated(key: string): number;
}

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { stated: byStated, outright: byOutright, namespace: byNamespace, identity: byIdentity } = Way;
const byBoth = Way.corroborated;
const meetsAll = trustRank.attested;

/** The strings of one request that settle attributes, and the trust of each. */
export class Given extends Cells {
  protected readonly destination: Sources['destination'];
  protected readonly keys: readonly string[];
  /** Whether anything is stated in a text that was not made objects of: to ask that of each value costs more. */
  protected isWritten = false;
  readonly #sources: Sources;
  /** Per attribute, a `Way`. */
  readonly #ways: Uint8Array;
  #stated: StatedAttributes | WrittenAttributes | undefined;
  #trust = 0;
  #identity: string | undefined;
  #identityTrust = 0;

  constructor({ compiled, keys }: Attached, sources: Sources) {
    super(keys.length);
    this.keys = keys;
    this.#sources = sources;
    this.destination = sources.destination;
    this.#ways = Uint8Array.from(keys, (key, id) =>
      wayOf(compiled.attributes[id * attributeStride + 1] as number, key, sources.saysOf(key)),
    );
  }

  protected give(
    stated: StatedAttributes | WrittenAttributes | undefined,
    trust: number,
    identity: string | undefined,
    identityTrust: number,
  ): void {
    this.#stated = stated;
    this.isWritten =
      stated instanceof WrittenAttributes || this.destination.outright instanceof WrittenAttributes;
    this.#trust = trust;
    this.#identity = identity;
    this.#identityTrust = identityTrust;
  }

  /** The `Way` to what settles an attribute. */
  protected wayTo(attribute: number): number {
    return this.#ways[attribute] as number;
  }

  /** What settles an attribute, if it is a string. */
  protected given(attribute: number, way: number): unknown {
    if (way === byIdentity) return this.#identity;
    if (way === byNamespace) return this.destination.namespace;
    const stated = this.#statedBy(way);
    const key = this.keys[attribute] as string;
    return this.isWritten
      ? statedIn(stated, attribute, key)
      : (stated as StatedAttributes | undefined)?.[key];
  }

  /** The trust of that. */
  protected trustOfGiven(attribute: number, way: number): number {
    if (way === byStated || way === byOutright) return this.#trust;
    if (way === byNamespace) return meetsAll;
    if (way === byIdentity) return this.#identityTrust;
    return way === byBoth ? this.#sources.corroborated(this.keys[attribute] as string) : this.#trust;
  }

  /** Where an attribute is stated in a text, if it is; there is no other way then. */
  protected written(attribute: number): WrittenAttributes | undefined {
    const stated = this.#statedBy(this.wayTo(attribute));
    return stated instanceof WrittenAttributes ? stated : undefined;
  }

  #statedBy(way: number): StatedAttributes | WrittenAttributes | undefined {
    if (way === byStated || way === byBoth) return this.#stated;
    return way === byOutright ? this.destination.outright : undefined;
  }
}
