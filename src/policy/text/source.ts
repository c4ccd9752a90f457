import type { Place } from '../../pdp/model/violation.ts';

/** A text with the name of its file, which turns offsets into lines and columns. */
export class Source {
  readonly text: string;
  readonly file: string | undefined;
  #lineStarts: Uint32Array | undefined;

  constructor(text: string, file: string | undefined) {
    this.text = text;
    this.file = file;
  }

  in(file: string): Source {
    return new Source(this.text, file);
  }

  /** Lines and columns count from 1; a column is a UTF-16 code unit, as editors count. */
  placeAt(offset: number): Place {
    this.#lineStarts ??= lineStarts(this.text);
    const starts = this.#lineStarts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file ?? '<input>', line: low + 1, column: offset - starts[low]! + 1 };
  }
}

function lineStarts(text: string): Uint32Array {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  const starts = new Uint32Array(count);
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts[line++] = at + 1;
  return starts;
}
