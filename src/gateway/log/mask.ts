import { createHash } from 'node:crypto';
import { asObject, jsonOf, type Written } from '../../pdp/index/written.ts';
import type { Request, Stated } from '../../pdp/model/request.ts';

/**
 * What of a request is not written down: keys of attributes (`k8s:label:user`), beginnings of keys that end in `*`,
 * and `request:path`, `request:sni`, `spiffe:id`. Equal values stay equal, so that lines can still be compared.
 */
export interface Masking {
  readonly keys: readonly string[];
  /** Without it short values could be found by trying. */
  readonly salt: string;
}

interface Masked {
  readonly request: Request;
  /** Keys that were masked: such a line cannot be decided again. */
  readonly masked: readonly string[];
}

/** What is written of a request, in JSON. */
export interface Told extends Omit<Masked, 'request'> {
  readonly request: string;
}

/** Replaces a value by one that stays the same as long as the salt does. */
export function hider(salt: string): (value: string) => string {
  return (value) =>
    `masked:${createHash('sha256').update(salt).update(value).digest('base64url').slice(0, 16)}`;
}

export function teller(masking: Masking): (request: Request | Written) => Told {
  // What came in JSON is there already.
  if (masking.keys.length === 0) return (request) => ({ request: jsonOf(request), masked: none });
  const mask = masker(masking);
  return (request) => {
    const { request: hidden, masked } = mask(asObject(request));
    return { request: JSON.stringify(hidden), masked };
  };
}

const none: readonly string[] = [];

export function masker({ keys, salt }: Masking): (request: Request) => Masked {
  const covers = (key: string) =>
    keys.some((pattern) => (pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern));
  const hide = hider(salt);

  return (request) => {
    const masked: string[] = [];
    const text = (key: string, value: string | undefined) => {
      if (value === undefined || !covers(key)) return value;
      masked.push(key);
      return hide(value);
    };
    const { source, destination, request: parts, ...rest } = request;
    const hidden = { ...rest, destination: { ...destination } } as Record<string, unknown>;
    if (destination.attributes !== undefined)
      hidden['destination'] = { ...destination, attributes: stated(destination.attributes) };
    if (source !== undefined) {
      hidden['source'] = dense({
        ...source,
        spiffeId: text('spiffe:id', source.spiffeId),
        tags: source.tags === undefined ? undefined : tags(source.tags),
        attributes: source.attributes === undefined ? undefined : stated(source.attributes),
      });
    }
    if (parts !== undefined) {
      const { method, path, sni } = parts;
      hidden['request'] = dense({
        method: text('request:method', method),
        path: text('request:path', path),
        sni: text('request:sni', sni),
      });
    }
    return { request: hidden as unknown as Request, masked };

    function stated(attributes: Readonly<Record<string, Stated>>): Record<string, Stated> {
      return Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => {
          if (typeof value === 'string') return [key, text(key, value) as string];
          if (!('value' in value)) return [key, value];
          return [key, { ...value, value: text(key, value.value) as string }];
        }),
      );
    }

    function tags(given: Readonly<Record<string, string | readonly string[]>>) {
      return Object.fromEntries(
        Object.entries(given).map(([tag, value]) => {
          const key = `kuma:tag:${tag}`;
          return [
            tag,
            typeof value === 'string' ? text(key, value) : value.map((one) => text(key, one) as string),
          ];
        }),
      );
    }
  };
}

function dense(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
