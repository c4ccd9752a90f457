/** One table for every string of a compiled set: code units end to end, so that it moves between threads whole. */
export interface StringTable {
  readonly units: Uint16Array;
  /** `offsets[i]` to `offsets[i + 1]` is string i. */
  readonly offsets: Uint32Array;
}

export class StringTableBuilder {
  readonly #ids = new Map<string, number>();
  #units = 0;

  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(text, id);
      this.#units += text.length;
    }
    return id;
  }

  build(): StringTable {
    const units = new Uint16Array(this.#units);
    const offsets = new Uint32Array(this.#ids.size + 1);
    let at = 0;
    let i = 0;
    for (const text of this.#ids.keys()) {
      offsets[i++] = at;
      for (let k = 0; k < text.length; k++) units[at++] = text.charCodeAt(k);
    }
    offsets[i] = at;
    return { units, offsets };
  }
}

export function stringAt(table: StringTable, id: number): string {
  const end = table.offsets[id + 1] as number;
  let text = '';
  // Argument lists have a limit of their own, far above this step.
  for (let at = table.offsets[id] as number; at < end; at += 4096) {
    text += String.fromCharCode(...table.units.subarray(at, Math.min(end, at + 4096)));
  }
  return text;
}
