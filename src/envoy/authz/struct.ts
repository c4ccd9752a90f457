import { limits } from '../../pdp/model/limits.ts';
import { GrpcError, status } from '../grpc/status.ts';
import { names } from './kept-texts.ts';
import type { WireReader } from './wire-reader.ts';

export type Json = null | boolean | number | string | readonly Json[] | Struct;
export type Struct = { readonly [key: string]: Json };

/** `google.protobuf.Struct`: JSON in protobuf, which is how Envoy carries metadata. */
export function readStruct(
  reader: WireReader,
  into: Record<string, Json> = Object.create(null),
  depth = 0,
): Struct {
  if (depth > limits.nesting)
    throw new GrpcError(status.invalidArgument, `got metadata deeper than ${limits.nesting} levels`);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip();
    else {
      const entry = reader.message();
      let key = '';
      let value: Json = null;
      for (let part = entry.next(); part !== 0; part = entry.next()) {
        if (part === 1) key = entry.kept(names);
        else if (part === 2) value = readValue(entry.message(), depth + 1);
        else entry.skip();
      }
      into[key] = value;
    }
  }
  return into;
}

function readValue(reader: WireReader, depth: number): Json {
  let value: Json = null;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) value = reader.double();
    else if (field === 3) value = reader.text();
    else if (field === 4) value = reader.number() !== 0;
    else if (field === 5) value = readStruct(reader.message(), undefined, depth);
    else if (field === 6) value = readList(reader.message(), depth);
    else {
      reader.skip();
      if (field === 1) value = null;
    }
  }
  return value;
}

function readList(reader: WireReader, depth: number): readonly Json[] {
  if (depth > limits.nesting)
    throw new GrpcError(status.invalidArgument, `got metadata deeper than ${limits.nesting} levels`);
  const values: Json[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) values.push(readValue(reader.message(), depth + 1));
    else reader.skip();
  }
  return values;
}
