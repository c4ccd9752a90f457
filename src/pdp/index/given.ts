import type { Fields } from '../model/fields.ts';
import { limits } from '../model/limits.ts';
import { type AttributesReader, type AttributesSide, isAttributeObject } from '../model/read-request.ts';
import type { StatedAttributes } from '../model/request.ts';
import { trustRank } from '../model/trust.ts';
import type { Attached } from './attach.ts';
import { Cell, Cells, cellStride, Mark } from './cells.ts';
import { AttributeColumn, attributeStride } from './compile.ts';
import { floorMask } from './dimension.ts';
import { fingerprint, interned } from './fingerprint.ts';
import type { Identity } from './identity.ts';
import type { Keeper } from './kept-cells.ts';
import { Order } from './order.ts';
import { type Say, Way, wayOf } from './ways.ts';
import { statedIn, WrittenAttributes } from './written.ts';

/** Who else has a say in what a request states. */
export interface Sources {
  readonly destination: {
    readonly outright: StatedAttributes | WrittenAttributes | undefined;
    readonly namespace: string | undefined;
    readonly target: Keeper | undefined;
    /** Of what is stated. */
    readonly trust: number;
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
const longestValue = limits.attributeValueBytes;
const stride = cellStride;
const cell = Cell;
const openMark = Mark.open;
const ranks = floorMask + 1;

/**
 * The strings of one request that settle attributes, and the trust of each. What one of them settles alone, which is most
 * of what rules ask for, is read off it while the request is checked.
 */
export class Given extends Cells implements AttributesReader {
  /** What is stated of the source. */
  protected stated: StatedAttributes | WrittenAttributes | undefined;
  protected readonly destination: Sources['destination'];
  protected readonly keys: readonly string[];
  /** Whether anything is stated in a text that was not made objects of: to ask that of each value costs more. */
  protected isWritten = false;
  /** Per attribute but the SPIFFE ID: its tail if it is known by the fingerprint of a string and nothing else, or 0. */
  protected readonly simple: Int32Array;
  /** Per attribute: the value that its fingerprint is of. */
  protected readonly texts: string[];
  readonly #sources: Sources;
  /** Per attribute, a `Way`. */
  readonly #ways: Uint8Array;
  /** Whether nothing but itself says what the SPIFFE ID is. */
  #isAlone = false;
  #identityTrust = 0;
  readonly #ofSource = new Order('source');
  readonly #ofDestination = new Order('destination');

  constructor({ compiled, keys }: Attached, sources: Sources) {
    super(keys.length);
    this.keys = keys;
    this.texts = keys.map(() => '');
    this.#sources = sources;
    this.destination = sources.destination;
    this.#ways = Uint8Array.from(keys, (key, id) =>
      wayOf(
        compiled.attributes[id * attributeStride + AttributeColumn.kind] as number,
        key,
        sources.saysOf(key),
      ),
    );
    this.simple = Int32Array.from(keys, (_, id) => {
      const root = compiled.attributes[id * attributeStride + AttributeColumn.root] as number;
      const tail = compiled.attributes[id * attributeStride + AttributeColumn.tail] as number;
      return root < 0 && tail !== interned && this.#ways[id] !== byIdentity ? tail : 0;
    });
    this.simple.forEach((tail, attribute) => {
      const way = this.#ways[attribute];
      const order = way === byStated ? this.#ofSource : way === byOutright ? this.#ofDestination : undefined;
      if (tail !== 0) order?.add({ key: keys[attribute] as string, attribute, tail });
    });
  }

  begin(): void {
    this.base += ranks;
    if (this.base <= 0x7fff_ffff - 2 * ranks) return;
    this.cells.fill(0);
    this.base = ranks;
  }

  /** Says of every value what `areAttributes` of read-request.ts does. */
  attributes(all: Fields, side: AttributesSide): boolean {
    const order = side === 'source' ? this.#ofSource : this.#ofDestination;
    const { places } = order;
    const ready = this.base + 1 + this.destination.trust;
    const { cells, texts } = this;
    let count = 0;
    for (const key in all) {
      const value = all[key];
      let place = places[count];
      if (place === undefined || key !== place.key) place = order.learn(count, key);
      if (place === undefined) return false;
      count++;
      if (typeof value === 'string') {
        if (value.length > longestValue) return false;
        const { attribute } = place;
        if (attribute >= 0) {
          const at = attribute * stride;
          texts[attribute] = value;
          cells[at + cell.ready] = ready;
          cells[at + cell.marks] = openMark;
          cells[at + cell.exact] = fingerprint(value, place.tail);
        }
      } else if (!isAttributeObject(value, side)) return false;
    }
    return true;
  }

  protected from(
    stated: StatedAttributes | WrittenAttributes | undefined,
    isAlone: boolean,
    identityTrust: number,
  ): void {
    this.stated = stated;
    this.isWritten =
      stated instanceof WrittenAttributes || this.destination.outright instanceof WrittenAttributes;
    this.#isAlone = isAlone;
    this.#identityTrust = identityTrust;
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
    if (way === byStated || way === byOutright) return this.destination.trust;
    if (way === byNamespace) return meetsAll;
    if (way === byIdentity) return this.#identityTrust;
    return way === byBoth
      ? this.#sources.corroborated(this.keys[attribute] as string)
      : this.destination.trust;
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
