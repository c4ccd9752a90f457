import { createHash } from 'node:crypto';
import { asObject, jsonOf, type Written } from '../../pdp/index/written.ts';
import { canonical } from '../../pdp/model/aliases.ts';
import { coversKey } from '../../pdp/model/inventory.ts';
import type { Request, Stated } from '../../pdp/model/request.ts';
import type { Side } from '../../pdp/model/rule.ts';

/**
 * What of a request is not written down: keys of attributes (`k8s:label:user`), beginnings of keys that end in `*`,
 * and `request:path`, `request:sni`, `spiffe:id`. Equal values stay equal, so that lines can still be compared. What is
 * named as evidence, and the query of a path, is never written.
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
  const mask = masker(masking);
  return (request) => {
    if (masking.keys.length === 0) {
      // What came in JSON is there already.
      const json = jsonOf(request);
      if (request.request?.path?.includes('?') !== true && !evidenceName.test(json))
        return { request: json, masked: none };
    }
    const { request: hidden, masked } = mask(asObject(request));
    return { request: JSON.stringify(hidden), masked };
  };
}

const none: readonly string[] = [];

/** Anywhere in a text in which it could be. */
const evidenceName = /jwt|xfcc|certificate/i;

/** Up to the name of evidence, in whatever case. */
const evidenceKey = /^(?:.*?:)?(?:jwt|xfcc|certificate)(?=:|$)/is;

/** Whoever made a pod chose what its labels and containers are called. */
const ownNames = /^k8s:(?:label|(?:init-)?container-image(?:-digest)?):/;

/** Evidence by another way than that for evidence is an attribute; as a member of a list it is in its key. */
function evidenceIn(key: string): string | undefined {
  return ownNames.test(key) ? undefined : evidenceKey.exec(key)?.[0];
}

/** A query decides nothing (PATH1), and clients put tokens in it. */
function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  return query < 0 ? path : `${path.slice(0, query)}?…`;
}

type AttributeSide = Exclude<Side, 'request'>;

/** Of these keys what follows is a name too, whatever the value. */
const scopes = /^(?:k8s:(?:label|(?:init-)?container-image(?:-digest)?)|cl:(?:site|service)|kuma:tag):/;

/** Whether it may be a member of a list, which AuthZEN writes into the key (SPEC AZ20). */
function mayBeMember(value: Stated): boolean {
  return typeof value === 'string' ? value === 'true' : !('value' in value) || value.value === 'true';
}

/**
 * How much of a key is told, of an attribute that is masked: all, but for members of lists. An attribute is masked by
 * whichever of its names it stands in the configuration and in the request (SPEC REQ8), and with what it is below. A
 * name of the other side says nothing to policies, but its value is as much of a secret.
 */
function covering(
  keys: readonly string[],
  side: AttributeSide,
): (key: string, member?: boolean) => string | undefined {
  const patterns = keys.flatMap((key) => [key, canonical(key, side)]);
  const covered = (key: string) =>
    patterns.some((pattern) => coversKey(pattern, key) || key.startsWith(`${pattern}:`));
  return (key, member = false) => {
    const meant = canonical(canonical(key, 'source'), 'destination');
    if (!covered(key) && !covered(meant)) return undefined;
    if (!member || scopes.test(meant) || patterns.includes(key)) return key;
    const end = key.indexOf(':', key.indexOf(':') + 1);
    return end < 0 ? key : key.slice(0, end);
  };
}

export function masker({ keys, salt }: Masking): (request: Request) => Masked {
  const covers = { source: covering(keys, 'source'), destination: covering(keys, 'destination') };
  const hide = hider(salt);

  return (request) => {
    const masked: string[] = [];
    const text = (key: string, value: string | undefined) => {
      if (value === undefined || covers.source(key) === undefined) return value;
      masked.push(key);
      return hide(value);
    };
    const { source, destination, request: parts, ...rest } = request;
    const hidden = { ...rest, destination: { ...destination } } as Record<string, unknown>;
    // Of what was refused before it was a request there may be none.
    if (destination?.attributes !== undefined)
      hidden['destination'] = { ...destination, attributes: stated(destination.attributes, 'destination') };
    if (source !== undefined) {
      hidden['source'] = dense({
        ...source,
        spiffeId: text('spiffe:id', source.spiffeId),
        tags: source.tags === undefined ? undefined : tags(source.tags),
        attributes: source.attributes === undefined ? undefined : stated(source.attributes, 'source'),
      });
    }
    if (parts !== undefined) {
      const { method, path, sni } = parts;
      hidden['request'] = dense({
        method: text('request:method', method),
        path: path === undefined ? undefined : text('request:path', withoutQuery(path)),
        sni: text('request:sni', sni),
      });
    }
    return { request: hidden as unknown as Request, masked };

    function stated(
      attributes: Readonly<Record<string, Stated>>,
      side: AttributeSide,
    ): Record<string, Stated> {
      return Object.fromEntries(
        Object.entries(attributes).map(([key, value]): [string, Stated] => {
          const told = evidenceIn(key) ?? covers[side](key, mayBeMember(value));
          if (told === undefined) return [key, value];
          const as = told === key ? key : `${told}:${hide(key.slice(told.length + 1))}`;
          const hasValue = typeof value === 'string' || 'value' in value;
          if (as !== key || hasValue) masked.push(told);
          if (!hasValue) return [as, value];
          return [as, typeof value === 'string' ? hide(value) : { ...value, value: hide(value.value) }];
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
