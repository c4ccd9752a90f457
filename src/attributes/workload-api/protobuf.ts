import { pushTo } from '../../pdp/model/lists.ts';

/** The part of Protocol Buffers that the Workload API is made of: fields that have a length, and the others skipped. */

export class WireFault extends Error {}

/** Values of the fields that have a length (text, bytes, messages), by number, in order. */
export type Fields = ReadonlyMap<number, readonly Uint8Array[]>;

const varint = 0;
const fixed64 = 1;
const withLength = 2;
const fixed32 = 5;
const mostNumber = 2 ** 29 - 1;

/** Of `most` fields in all: a field costs more to keep than to send. */
export function fieldsOf(bytes: Uint8Array, most: number): Fields {
  const fields = new Map<number, Uint8Array[]>();
  const reader = new Reader(bytes);
  for (let count = 0; !reader.done; count++) {
    if (count === most) throw new WireFault(`got a message of more than ${most} fields`);
    const tag = reader.varint();
    const number = Math.floor(tag / 8);
    if (number === 0 || number > mostNumber) throw new WireFault(`got a field with the number ${number}`);
    const value = reader.value(tag % 8);
    if (value !== undefined) pushTo(fields, number, value);
  }
  return fields;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Tags and lengths are below 2^32; larger numbers are only skipped, so their upper bits may be lost. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 10; shift++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new WireFault('got a message that ends inside a number');
      value += (byte & 0x7f) * 128 ** shift;
      if (byte < 0x80) return value;
    }
    throw new WireFault('got a number of more than 10 bytes');
  }

  /** Undefined for what has no length of its own. */
  value(type: number): Uint8Array | undefined {
    if (type === withLength) return this.#take(this.varint());
    if (type === varint) this.varint();
    else if (type === fixed64) this.#take(8);
    else if (type === fixed32) this.#take(4);
    else throw new WireFault(`got a field of the wire type ${type}, want none of groups`);
    return undefined;
  }

  #take(size: number): Uint8Array {
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new WireFault('got a message that ends inside a field');
    const value = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return value;
  }
}

/** A field with a length, as it is sent. */
export function fieldOf(number: number, value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varintOf(number * 8 + withLength), varintOf(bytes.length), bytes]);
}

function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
