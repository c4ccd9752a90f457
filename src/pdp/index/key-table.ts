import type { Attached } from './attach.ts';
import { attributeStride } from './compile.ts';
import { Kind } from './vocabulary.ts';

const prime = 0x0100_0193;

/** The hash of a key, byte by byte. */
export function hashed(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, prime);
}

/** Which attribute a key is that stands among others in a request, found by its bytes. */
export class KeyTable {
  readonly attached: Attached;
  readonly #keys: Uint8Array[] = [];
  /** Key by key: its number as source and as destination, -1 where no rule reads it there. */
  readonly #attributes: number[] = [];
  /** One more than the place of a key, 0 where there is none. */
  readonly #slots: Int32Array;

  constructor(attached: Attached) {
    this.attached = attached;
    const places = new Map<string, number>();
    attached.keys.forEach((key, attribute) => {
      const side = sideOf(attached.compiled.attributes[attribute * attributeStride + 1] as number);
      if (side < 0 || !isAscii(key)) return;
      let place = places.get(key);
      if (place === undefined) {
        place = this.#keys.push(asciiOf(key)) - 1;
        places.set(key, place);
        this.#attributes.push(-1, -1);
      }
      this.#attributes[place * 2 + side] = attribute;
    });
    let size = 16;
    while (size < 2 * this.#keys.length) size *= 2;
    this.#slots = new Int32Array(size);
    this.#keys.forEach((key, place) => {
      let slot = slotOf(hashOf(key));
      while (this.#slots[slot & (size - 1)] !== 0) slot++;
      this.#slots[slot & (size - 1)] = place + 1;
    });
  }

  /** The attribute that the key between two places is, on a side; -1 if it is none. */
  find(bytes: Uint8Array, from: number, to: number, hash: number, side: 0 | 1): number {
    const slots = this.#slots;
    for (let slot = slotOf(hash); ; slot++) {
      const place = (slots[slot & (slots.length - 1)] as number) - 1;
      if (place < 0) return -1;
      if (isAt(this.#keys[place] as Uint8Array, bytes, from, to))
        return this.#attributes[place * 2 + side] as number;
    }
  }
}

/** Whether a text of ASCII stands between two places. */
export function isAt(text: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  const length = text.length;
  if (length !== to - from) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== text[i]) return false;
  return true;
}

export function asciiOf(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & 0x3fff_ffff;
}

function hashOf(key: Uint8Array): number {
  return key.reduce(hashed, 0);
}

function isAscii(key: string): boolean {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 0x7e) return false;
  return true;
}

/** 0 for what a source states, 1 for what is stated of a destination, -1 for what is found elsewhere. */
function sideOf(kind: number): number {
  if (kind === Kind.destination) return 1;
  return kind === Kind.attribute || kind === Kind.spiffeId || kind === Kind.trustDomain ? 0 : -1;
}
