import { limits } from '../../pdp/model/limits.ts';
import { GrpcError, status } from '../grpc/status.ts';
import { names, values } from '../wire/kept-texts.ts';
import type { WireReader } from '../wire/reader.ts';

export type Json = null | boolean | number | string | readonly Json[] | Struct;
export type Struct = { readonly [key: string]: Json };

/** `google.protobuf.Struct`: JSON in protobuf, which is how Envoy carries metadata. Of a message that was entered. */
export function readStruct(reader: WireReader, depth = 0): Struct {
  const into: Record<string, Json> = {};
  if (depth > limits.nesting)
    throw new GrpcError(status.invalidArgument, `got metadata deeper than ${limits.nesting} levels`);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip();
    else {
      const outer = reader.enter();
      let key = '';
      let value: Json = null;
      for (let part = reader.next(); part !== 0; part = reader.next()) {
        if (part === 1) key = reader.kept(names);
        else if (part === 2) value = readValue(reader, depth + 1);
        else reader.skip();
      }
      reader.leave(outer);
      if (key !== prototype) into[key] = value;
      else Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
    }
  }
  return into;
}

/** To an object it is not a name like others. */
const prototype = '__proto__';

function readValue(reader: WireReader, depth: number): Json {
  const outer = reader.enter();
  let value: Json = null;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) value = reader.kept(values);
    else if (field === 2) value = reader.double();
    else if (field === 4) value = reader.number() !== 0;
    else if (field === 5) value = within(reader, depth, readStruct);
    else if (field === 6) value = within(reader, depth, readList);
    else {
      reader.skip();
      if (field === 1) value = null;
    }
  }
  reader.leave(outer);
  return value;
}

function within(reader: WireReader, depth: number, read: (reader: WireReader, depth: number) => Json): Json {
  const outer = reader.enter();
  const value = read(reader, depth);
  reader.leave(outer);
  return value;
}

function readList(reader: WireReader, depth: number): readonly Json[] {
  if (depth > limits.nesting)
    throw new GrpcError(status.invalidArgument, `got metadata deeper than ${limits.nesting} levels`);
  const all: Json[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) all.push(readValue(reader, depth + 1));
    else reader.skip();
  }
  return all;
}
