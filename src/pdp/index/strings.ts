import { decoder, encoder } from '../model/encoding.ts';

/** One table for every string of a compiled set: UTF-8 end to end, so that it moves between threads whole. */
export interface StringTable {
  readonly bytes: Uint8Array;
  /** Where each string begins, and where the last one ends. */
  readonly offsets: Uint32Array;
}

/** Of strings without halves of surrogate pairs, which documents have none of (SPEC DOC13). */
export class StringTableBuilder {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  #units = 0;

  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(text, id);
      this.#texts.push(text);
      this.#units += text.length;
    }
    return id;
  }

  text(id: number): string {
    return this.#texts[id] as string;
  }

  build(): StringTable {
    const texts = this.#texts;
    const offsets = new Uint32Array(texts.length + 1);
    const room = new Uint8Array(3 * this.#units);
    let at = 0;
    for (let id = 0; id < texts.length; id++) {
      at += encoder.encodeInto(texts[id] as string, room.subarray(at)).written;
      offsets[id + 1] = at;
    }
    return { bytes: room.slice(0, at), offsets };
  }
}

/** Whether a string is the text of UTF-8 that stands between two places. */
export function areBytes(
  table: StringTable,
  id: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): boolean {
  const { bytes: all, offsets } = table;
  const first = offsets[id] as number;
  const length = to - from;
  if ((offsets[id + 1] as number) - first !== length) return false;
  for (let i = 0; i < length; i++) if (all[first + i] !== bytes[from + i]) return false;
  return true;
}

export function stringAt({ bytes, offsets }: StringTable, id: number): string {
  return decoder.decode(bytes.subarray(offsets[id], offsets[id + 1]));
}
