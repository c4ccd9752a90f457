import { limits } from '../model/limits.ts';
import { type AttributesSide, isAttributeKey } from '../model/read-request.ts';

const { attributes: mostAttributes } = limits;

/** An attribute that is settled by a stated string and nothing else, and the tail of its fingerprints. */
interface Plain {
  readonly attribute: number;
  readonly tail: number;
}

/** The keys that requests have on one side, in the order that the last of them had: by far the most have the same. */
export class Order {
  readonly keys: string[] = [];
  /** Per place: the attribute that a string there settles, or -1; and its tail. */
  readonly attributes = new Int32Array(mostAttributes);
  readonly tails = new Int32Array(mostAttributes);
  readonly #side: AttributesSide;
  readonly #plain = new Map<string, Plain>();

  constructor(side: AttributesSide) {
    this.#side = side;
  }

  add(key: string, plain: Plain): void {
    this.#plain.set(key, plain);
  }

  /** Whether a key may stand there. */
  learn(place: number, key: string): boolean {
    if (place >= mostAttributes || !isAttributeKey(key, this.#side)) return false;
    const plain = this.#plain.get(key);
    this.keys[place] = key;
    this.attributes[place] = plain === undefined ? -1 : plain.attribute;
    this.tails[place] = plain === undefined ? 0 : plain.tail;
    return true;
  }
}
