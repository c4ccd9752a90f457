/**
 * One table for every string of a compiled set: code units end to end, so that it moves between threads whole. Before
 * each string stands its length in two units, so that what is to be compared with it is refused by its length, most of the time.
 */
export interface StringTable {
  readonly units: Uint16Array;
  /** Where each string begins. */
  readonly offsets: Uint32Array;
}

const lengthUnits = 2;

export class StringTableBuilder {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #offsets: number[] = [];
  #units = 0;

  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(text, id);
      this.#texts.push(text);
      this.#offsets.push(this.#units);
      this.#units += lengthUnits + text.length;
    }
    return id;
  }

  text(id: number): string {
    return this.#texts[id] as string;
  }

  build(): StringTable {
    const units = new Uint16Array(this.#units);
    let at = 0;
    for (const text of this.#texts) {
      units[at++] = text.length & 0xffff;
      units[at++] = text.length >>> 16;
      for (let k = 0; k < text.length; k++) units[at++] = text.charCodeAt(k);
    }
    return { units, offsets: Uint32Array.from(this.#offsets) };
  }
}

/** Whether a string is the text of ASCII that stands between two places. */
export function areBytes(
  { units, offsets }: StringTable,
  id: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): boolean {
  const length = to - from;
  const offset = offsets[id] as number;
  if (units[offset] !== (length & 0xffff) || units[offset + 1] !== length >>> 16) return false;
  const first = offset + lengthUnits;
  for (let i = 0; i < length; i++) if (units[first + i] !== bytes[from + i]) return false;
  return true;
}

export function stringAt({ units, offsets }: StringTable, id: number): string {
  const offset = offsets[id] as number;
  const first = offset + lengthUnits;
  const end = first + (units[offset] as number) + 0x1_0000 * (units[offset + 1] as number);
  let text = '';
  // Argument lists have a limit of their own, far above this step.
  for (let at = first; at < end; at += 4096) {
    text += String.fromCharCode(...units.subarray(at, Math.min(end, at + 4096)));
  }
  return text;
}
