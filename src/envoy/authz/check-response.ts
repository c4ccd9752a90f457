import { status } from '../grpc/status.ts';
import { WireWriter } from './wire-writer.ts';

type Fields = readonly (readonly [key: string, value: string])[];

export interface Answer {
  readonly allow: boolean;
  /** Told to the filters that come later and to the access log; never to the client. */
  readonly metadata: Fields;
  /** More of it, as `fieldsOf` gives it. */
  readonly known?: Uint8Array;
  /** For the upstream of what is allowed: what a client sends under these names does not get through. */
  readonly upstream: readonly (readonly [name: string, value: string])[];
  /** Names that only we may use, whether or not they are set now. */
  readonly remove: readonly string[];
  /** For the client of what is denied. */
  readonly client: readonly (readonly [name: string, value: string])[];
  readonly denial: Denial;
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
  const all = writer.mark;
  writeMetadata(answer.metadata);
  if (answer.known !== undefined) writer.bytes(answer.known);
  writer.message(4, all);
  const http = writer.mark;
  if (answer.allow) {
    writer.bytes(removalOf(answer.remove));
    for (const [name, value] of answer.upstream) writeHeader(name, value);
    writer.message(3, http);
  } else {
    if (answer.denial.body !== '') writer.text(3, answer.denial.body);
    for (const [name, value] of answer.client) writeHeader(name, value);
    const code = writer.mark;
    writer.number(1, answer.denial.status);
    writer.message(1, code);
    writer.message(2, http);
  }
  const outcome = writer.mark;
  writer.number(1, answer.allow ? status.ok : status.permissionDenied);
  writer.message(1, outcome);
  return writer.finish();
}

/** Metadata as bytes, for those who say the same again and again. */
export function fieldsOf(fields: Fields): Uint8Array {
  writeMetadata(fields);
  return writer.finish();
}

const removals = new WeakMap<readonly string[], Uint8Array>();

function removalOf(names: readonly string[]): Uint8Array {
  let bytes = removals.get(names);
  if (bytes === undefined) {
    const own = new WireWriter();
    for (const name of names) own.text(5, name);
    bytes = own.finish();
    removals.set(names, bytes);
  }
  return bytes;
}

function writeHeader(name: string, value: string): void {
  const option = writer.mark;
  writer.number(3, overwrite);
  const header = writer.mark;
  writer.text(2, value);
  writer.text(1, name);
  writer.message(1, header);
  writer.message(2, option);
}

function writeMetadata(fields: Fields): void {
  for (const [key, text] of fields) {
    const entry = writer.mark;
    const value = writer.mark;
    writer.text(3, text);
    writer.message(2, value);
    writer.text(1, key);
    writer.message(1, entry);
  }
}
