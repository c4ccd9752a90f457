import { formOf } from './form.ts';
import type { Item } from './item.ts';
import { LineReader } from './lines.ts';
import { ValueReader } from './values.ts';

interface Reader {
  push(chunk: Uint8Array): Item[];
  end(): Item[];
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * The requests of a stream in order, in batches as they arrive: one request, an array of them, or one
 * per line. Places in it begin with `name`. The consumer's pace is the stream's pace.
 */
export async function* readRequests(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Item[]> {
  let reader: Reader | undefined;
  let head: Uint8Array = new Uint8Array();
  const open = (ended: boolean): Reader | undefined => {
    const form = formOf(head, ended);
    if (form === undefined) return undefined;
    return form === 'lines' ? new LineReader(name) : new ValueReader(name, form === 'array');
  };
  for await (const chunk of chunks) {
    if (reader === undefined) {
      head = withoutMark(Buffer.concat([head, chunk]));
      if (head.length < 3) continue;
      reader = open(false);
      if (reader === undefined) continue;
      yield reader.push(head);
      head = new Uint8Array();
    } else {
      yield reader.push(chunk);
    }
  }
  if (reader === undefined) {
    reader = open(true);
    if (reader === undefined) return;
    yield reader.push(head);
  }
  yield reader.end();
}
