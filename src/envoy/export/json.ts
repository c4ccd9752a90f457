/** Configuration of Envoy as plain JSON: proto3 JSON with the field names as the .proto files write them. */
export type Json = string | number | boolean | Json[] | JsonObject;
export interface JsonObject {
  [field: string]: Json;
}

const types = 'type.googleapis.com/';

/** A message in an Any. */
export function typed(type: string, fields: JsonObject = {}): JsonObject {
  return { '@type': types + type, ...fields };
}
