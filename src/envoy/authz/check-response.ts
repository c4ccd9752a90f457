import { status } from '../grpc/status.ts';
import { WireWriter } from '../wire/writer.ts';

type Fields = readonly (readonly [key: string, value: string])[];

export interface Answer {
  readonly allow: boolean;
  /** Told to the filters that come later and to the access log; never to the client. */
  readonly metadata: Fields;
  /** By which logs and people find it again: told to filters, and to the upstream or else the client. */
  readonly id?: Said;
  /** For the upstream of what is allowed: what a client sends under these names does not get through. */
  readonly upstream: Fields;
  /** Names that only we may use, whether or not they are set now. */
  readonly remove: readonly string[];
  readonly denial: Denial;
}

export interface Said {
  readonly key: string;
  readonly header: string;
  /** ASCII. */
  readonly value: string;
}

export interface Denial {
  readonly status: number;
  readonly body: string;
}

const overwrite = 2;
const writer = new WireWriter();

/**
 * A CheckResponse. The code is always there: Envoy takes an empty answer, and a denial with the code 0, for an allow.
 */
export function checkResponse(answer: Answer): Buffer {
  return write(answer).bytes;
}

/**
 * Answers in which nothing differs but the ID: one of them, and where its ID stands. Writing one takes longer than to
 * decide what is in it.
 */
export class Answers {
  readonly #made: (id: string) => Answer;
  #length = -1;
  #bytes: Buffer = Buffer.alloc(0);
  #places: readonly number[] = [];

  constructor(made: (id: string) => Answer) {
    this.#made = made;
  }

  of(id: string): Buffer {
    // IDs grow longer while they are counted up.
    if (id.length !== this.#length) this.#begin(id);
    const bytes = Buffer.from(this.#bytes);
    for (const place of this.#places) bytes.write(id, place, 'latin1');
    return bytes;
  }

  #begin(id: string): void {
    const { bytes, places } = write(this.#made(id));
    this.#bytes = bytes;
    this.#places = places;
    this.#length = id.length;
  }
}

interface Written {
  readonly bytes: Buffer;
  /** Where the ID stands. */
  readonly places: readonly number[];
}

function write({ allow, metadata, id, upstream, remove, denial }: Answer): Written {
  const ends: number[] = [];
  const all = writer.mark;
  for (const [key, value] of metadata) writeEntry(key, value);
  if (id !== undefined) ends.push(writeEntry(id.key, id.value));
  writer.message(4, all);
  const http = writer.mark;
  if (allow) {
    for (const name of remove) writer.text(5, name);
    if (id !== undefined) ends.push(writeHeader(id.header, id.value));
    for (const [name, value] of upstream) writeHeader(name, value);
    writer.message(3, http);
  } else {
    if (denial.body !== '') writer.text(3, denial.body);
    if (id !== undefined) ends.push(writeHeader(id.header, id.value));
    const code = writer.mark;
    writer.number(1, denial.status);
    writer.message(1, code);
    writer.message(2, http);
  }
  const outcome = writer.mark;
  writer.number(1, allow ? status.ok : status.permissionDenied);
  writer.message(1, outcome);
  const bytes = writer.finish();
  const length = id?.value.length ?? 0;
  return { bytes, places: ends.map((end) => bytes.length - end - length) };
}

// Each says how far from the end of all the value ends.

function writeHeader(name: string, value: string): number {
  const option = writer.mark;
  writer.number(3, overwrite);
  const header = writer.mark;
  writer.text(2, value);
  writer.text(1, name);
  writer.message(1, header);
  writer.message(2, option);
  return header;
}

function writeEntry(key: string, text: string): number {
  const entry = writer.mark;
  writer.text(3, text);
  writer.message(2, entry);
  writer.text(1, key);
  writer.message(1, entry);
  return entry;
}
