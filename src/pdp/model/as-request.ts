import { canonical, isAlias } from './aliases.ts';
import type { Fields } from './fields.ts';
import { type AttributesReader, isObject, isRequest } from './read-request.ts';
import type { Request } from './request.ts';

/** A value as a request by canonical names, where it is one by any (SPEC REQ8). */
export function asRequest(value: unknown, reader?: AttributesReader): Request | undefined {
  try {
    if (isRequest(value, reader)) return value;
    const renamed = isObject(value) ? byCanonicalNames(value) : undefined;
    return renamed !== undefined && isRequest(renamed, reader) ? renamed : undefined;
  } catch {
    // A program may give what throws when it is looked at, as a proxy that was revoked does.
    return undefined;
  }
}

/** Undefined if there is nothing to rename, or no way to do it. */
function byCanonicalNames(request: Fields): Fields | undefined {
  const renamed: Record<string, unknown> = {};
  for (const side of ['source', 'destination'] as const) {
    const part = request[side];
    if (!isObject(part) || !isObject(part['attributes'])) continue;
    const { attributes } = part;
    const aliases = Object.keys(attributes as Fields).filter((key) => isAlias(key, side));
    if (aliases.length === 0) continue;
    const all: Record<string, unknown> = { ...(attributes as Fields) };
    for (const alias of aliases) {
      const name = canonical(alias, side);
      if (Object.hasOwn(all, name)) return undefined;
      all[name] = all[alias];
      delete all[alias];
    }
    renamed[side] = { ...part, attributes: all };
  }
  return Object.keys(renamed).length === 0 ? undefined : { ...request, ...renamed };
}
