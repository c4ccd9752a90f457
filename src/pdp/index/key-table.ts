import { Kind } from './vocabulary.ts';

const prime = 0x0100_0193;

/** The hash of a key, byte by byte. */
export function hashed(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, prime);
}

/** Which attribute a key is that stands among others in a request, found by its bytes. */
export class KeyTable {
  readonly #keys: Uint8Array[] = [];
  /** Key by key: its number as source and as destination, -1 where no rule reads it there. */
  readonly #attributes: number[] = [];
  /** One more than the place of a key, 0 where there is none. */
  readonly #slots: Int32Array;

  /** Of so many attributes at most. */
  constructor(attributes: number) {
    let size = 16;
    while (size < 2 * attributes) size *= 2;
    this.#slots = new Int32Array(size);
  }

  /** `kind`: that of the attribute; of most kinds nothing is stated. */
  add(key: string, attribute: number, kind: number): void {
    const side = sideOf(kind);
    if (side < 0 || !isAscii(key)) return;
    const bytes = asciiOf(key);
    const place = this.#placeOf(bytes);
    this.#attributes[place * 2 + side] = attribute;
  }

  #placeOf(key: Uint8Array): number {
    const slots = this.#slots;
    let slot = slotOf(hashOf(key));
    for (; slots[slot & (slots.length - 1)] !== 0; slot++) {
      const place = (slots[slot & (slots.length - 1)] as number) - 1;
      if (isAt(this.#keys[place] as Uint8Array, key, 0, key.length)) return place;
    }
    slots[slot & (slots.length - 1)] = this.#keys.push(key);
    this.#attributes.push(-1, -1);
    return this.#keys.length - 1;
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
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & 0x3fff_ffff;
}

function hashOf(key: Uint8Array): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = hashed(hash, key[i] as number);
  return hash;
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
