import { limits } from '../model/limits.ts';
import { type AttributesSide, isAttributeKey } from '../model/read-request.ts';

const { attributes: mostAttributes } = limits;

/** A key that requests have, and the attribute that a string there settles alone, or -1, with the tail of its fingerprints. */
export interface Place {
  readonly key: string;
  readonly attribute: number;
  readonly tail: number;
}

/** The keys that requests have on one side, in the order that the last of them had: by far the most have the same. */
export class Order {
  readonly places: Place[] = [];
  readonly #side: AttributesSide;
  readonly #known = new Map<string, Place>();

  constructor(side: AttributesSide) {
    this.#side = side;
  }

  add(place: Place): void {
    this.#known.set(place.key, place);
  }

  /** Undefined if a key may not stand there. */
  learn(at: number, key: string): Place | undefined {
    if (at >= mostAttributes || !isAttributeKey(key, this.#side)) return undefined;
    const place = this.#known.get(key) ?? { key, attribute: -1, tail: 0 };
    this.places[at] = place;
    return place;
  }
}
