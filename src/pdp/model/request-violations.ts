import { canonical } from './aliases.ts';
import { asRequest } from './as-request.ts';
import { type Decision, refusal } from './decision.ts';
import type { Fields } from './fields.ts';
import { limits } from './limits.ts';
import { isObject, isPort, isRouteName, isServiceName, isTime } from './read-request.ts';
import { unknowns } from './request.ts';
import { isTrust, trustLevels } from './trust.ts';
import type { Path, Violation, ViolationCode } from './violation.ts';
import { didYouMean, nameOf, oneOf, onlyOne, quote, unknownField } from './words.ts';

/** What keeps a value from being a request, up to a limit; empty exactly where `asRequest` finds one, or who asks knows of one. */
export function requestViolations(value: unknown, isSound?: boolean): readonly Violation[] {
  const found = new Findings();
  try {
    examine(found, value);
  } catch (error) {
    found.add(
      [],
      'value',
      `got what throws ${quote(String(error))} when it is read, want plain data`,
      asJson,
    );
  }
  if (found.list.length === 0 && !(isSound ?? asRequest(value) !== undefined))
    found.add([], 'value', 'got what is no plain data, want an object that is', asJson);
  return found.list;
}

/** The answer to what is none. */
export function noRequest(value: unknown, snapshot: string): Decision {
  return refusal('invalid-request', snapshot, { violations: requestViolations(value, false) });
}

const asJson = 'give what JSON has';

/** The fields of a request, and of its source. */
export const requestFields = ['source', 'destination', 'request', 'at'] as const;
export const sourceFields = ['spiffeId', 'mesh', 'tags', 'attributes', 'complete'] as const;

function examine(found: Findings, value: unknown): void {
  const root = found.object([], value, 'a request object');
  if (root === undefined) return;
  found.fields([], root, requestFields);
  if ('at' in root && !isTime(root['at'])) found.type(['at'], root['at'], 'milliseconds since the epoch');
  if (root['destination'] === undefined) {
    const message = 'got nothing, want an object';
    found.add(['destination'], 'missing', message, 'say a dataplane, a service or attributes');
  } else destination(found, root['destination']);
  if (root['source'] !== undefined) source(found, root['source']);
  if (root['request'] !== undefined) parts(found, root['request']);
}

class Findings {
  readonly list: Violation[] = [];

  /** More is there than is listed, which the last one says. */
  get full(): boolean {
    return this.list.length > limits.violationsPerRequest;
  }

  add(path: Path, code: ViolationCode, message: string, hint?: string): void {
    if (this.full) return;
    if (this.list.length === limits.violationsPerRequest) {
      const more = `got more than ${limits.violationsPerRequest} violations, the rest is not listed`;
      this.list.push({ path: [], code: 'limit', message: more });
      return;
    }
    this.list.push(hint === undefined ? { path, code, message } : { path, code, message, hint });
  }

  type(path: Path, got: unknown, want: string): void {
    this.add(path, 'type', `got ${describe(got)}, want ${want}`);
  }

  lonely(path: Path, beside: string): void {
    const key = quote(String(path.at(-1)));
    this.add(path, 'conflict', `got ${key} without ${quote(beside)}, want it beside that alone`);
  }

  choice(path: Path, got: unknown, known: readonly string[]): void {
    const hint = typeof got === 'string' ? didYouMean(got, known) : undefined;
    this.add(path, 'value', `got ${describe(got)}, want ${oneOf(known.map(quote))}`, hint);
  }

  object(path: Path, value: unknown, want: string): Fields | undefined {
    if (isObject(value)) return value;
    this.type(path, value, want);
    return undefined;
  }

  fields(path: Path, object: Fields, known: readonly string[]): void {
    for (const key in object) {
      // In a program a field may be there and undefined, which is not there.
      if (known.includes(key) || object[key] === undefined) continue;
      if (this.full) return;
      const { message, hint } = unknownField(key, known);
      this.add([...path, key], 'unknown-field', message, hint);
    }
  }

  text(path: Path, value: unknown, most: number, least = 0): void {
    if (typeof value !== 'string') this.type(path, value, 'a string');
    else if (value.length > most) {
      this.add(path, 'limit', `got ${value.length} characters, want at most ${most}`);
    } else if (value.length < least) this.add(path, 'empty', 'got an empty string, want a name');
  }
}

function describe(value: unknown): string {
  const isOther = typeof value === 'object' && value !== null && !Array.isArray(value) && !isObject(value);
  return isOther ? 'an object with a prototype of its own' : nameOf(value);
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function source(found: Findings, value: unknown): void {
  const at: Path = ['source'];
  const object = found.object(at, value, 'an object');
  if (object === undefined) return;
  found.fields(at, object, sourceFields);
  const { spiffeId, mesh, tags, attributes: stated, complete } = object;
  if (spiffeId !== undefined && typeof spiffeId !== 'string') {
    found.type([...at, 'spiffeId'], spiffeId, 'a string');
  }
  if (mesh !== undefined) found.text([...at, 'mesh'], mesh, limits.nameBytes, 1);
  if (tags !== undefined) tagValues(found, [...at, 'tags'], tags);
  if (stated !== undefined) attributes(found, [...at, 'attributes'], stated, 'source');
  if (complete !== undefined && typeof complete !== 'boolean') prefixes(found, [...at, 'complete'], complete);
}

function prefixes(found: Findings, at: Path, value: unknown): void {
  const object = found.object(at, value, 'true, false, or {prefix: trust}');
  if (object === undefined) return;
  const pairs = Object.entries(object);
  if (pairs.length > limits.completePrefixes)
    found.add(at, 'limit', `got ${pairs.length} prefixes, want at most ${limits.completePrefixes}`);
  for (const [prefix, trust] of pairs.slice(0, limits.completePrefixes)) {
    const path = [...at, clip(prefix)];
    if (prefix === '') found.add(path, 'empty', 'got an empty string, want a prefix');
    if (prefix.length > limits.attributeKeyBytes)
      found.add(
        path,
        'limit',
        `got a prefix of ${prefix.length} characters, want at most ${limits.attributeKeyBytes}`,
      );
    if (!isTrust(trust)) found.choice(path, trust, trustLevels);
  }
}

function keyed(found: Findings, at: Path, value: unknown): [string, unknown][] {
  const object = found.object(at, value, 'an object of keys and values');
  if (object === undefined) return [];
  const pairs: [string, unknown][] = [];
  let count = 0;
  // Beyond the limit they are counted, and not looked at.
  for (const key in object) if (++count <= limits.attributes) pairs.push([key, object[key]]);
  if (count > limits.attributes) {
    found.add(at, 'limit', `got ${count} keys, want at most ${limits.attributes}`);
  }
  for (const [key] of pairs) {
    if (found.full) return [];
    if (key === '') found.add([...at, key], 'empty', 'got an empty string, want a key');
    if (key.length > limits.attributeKeyBytes) {
      const message = `got a key of ${key.length} characters, want at most ${limits.attributeKeyBytes}`;
      found.add([...at, clip(key)], 'limit', message);
    }
  }
  return pairs;
}

function attributes(found: Findings, at: Path, value: unknown, side: 'source' | 'destination'): void {
  for (const [key, stated] of keyed(found, at, value)) {
    if (found.full) return;
    const path = [...at, clip(key)];
    const name = canonical(key, side);
    if (name !== key && Object.hasOwn(value as Fields, name)) {
      const message = `got the same as ${quote(name)} by another of its names, want one of them`;
      found.add(path, 'conflict', message);
    }
    if (typeof stated === 'string') {
      found.text(path, stated, limits.attributeValueBytes);
      continue;
    }
    const object = found.object(path, stated, 'a string, or {value, trust, since}');
    if (object === undefined) continue;
    if (side === 'source' && object['unknown'] !== undefined) {
      unknown(found, path, object);
      continue;
    }
    found.fields(path, object, ['value', 'trust', 'since']);
    const { value: text, trust, since } = object;
    if (text === undefined) found.add([...path, 'value'], 'missing', 'got nothing, want a string');
    else found.text([...path, 'value'], text, limits.attributeValueBytes);
    if (trust !== undefined && !isTrust(trust)) found.choice([...path, 'trust'], trust, trustLevels);
    if (!isTime(since)) found.type([...path, 'since'], since, 'milliseconds since the epoch');
  }
}

function unknown(found: Findings, at: Path, object: Fields): void {
  found.fields(at, object, ['unknown', 'pods']);
  const { unknown: why, pods } = object;
  if (!unknowns.some((one) => one === why)) found.choice([...at, 'unknown'], why, unknowns);
  if (pods === undefined) return;
  if (!Array.isArray(pods)) {
    found.type([...at, 'pods'], pods, 'a list of names');
    return;
  }
  if (pods.length > limits.sharingPods)
    found.add([...at, 'pods'], 'limit', `got ${pods.length} pods, want at most ${limits.sharingPods}`);
  for (const [i, pod] of pods.slice(0, limits.sharingPods).entries())
    found.text([...at, 'pods', i], pod, limits.nameBytes, 1);
}

function tagValues(found: Findings, at: Path, value: unknown): void {
  for (const [key, tag] of keyed(found, at, value)) {
    if (found.full) return;
    const path = [...at, clip(key)];
    if (!Array.isArray(tag)) {
      if (typeof tag === 'string') found.text(path, tag, limits.attributeValueBytes);
      else found.type(path, tag, 'a string or a list of strings');
      continue;
    }
    if (tag.length === 0) found.add(path, 'empty', 'got an empty list, want at least one value');
    if (tag.length > limits.tagValues) {
      found.add(path, 'limit', `got ${tag.length} values, want at most ${limits.tagValues}`);
      continue;
    }
    for (const [i, one] of tag.entries()) found.text([...path, i], one, limits.attributeValueBytes);
  }
}

const ways = ['dataplane', 'service', 'attributes'] as const;

function destination(found: Findings, value: unknown): void {
  const at: Path = ['destination'];
  const object = found.object(at, value, 'an object');
  if (object === undefined) return;
  found.fields(at, object, [...ways, 'mesh', 'inbound', 'route', 'namespace', 'complete']);
  const given = ways.filter((way) => object[way] !== undefined);
  const wrong = onlyOne(given, ways);
  if (wrong !== undefined) found.add(at, wrong.code, wrong.message);
  const { dataplane, service, attributes: stated, mesh, inbound, route, namespace, complete } = object;
  if (dataplane !== undefined) found.text([...at, 'dataplane'], dataplane, limits.nameBytes, 1);
  if (service !== undefined && !isServiceName(service)) {
    found.add([...at, 'service'], 'value', `got ${describe(service)}, want "namespace/name"`);
  }
  if (stated !== undefined) attributes(found, [...at, 'attributes'], stated, 'destination');
  for (const [key, one] of [
    ['mesh', mesh],
    ['inbound', inbound],
    ['route', route],
  ] as const) {
    if (one === undefined) continue;
    if (dataplane === undefined) found.lonely([...at, key], 'dataplane');
    if (key === 'inbound' && typeof one === 'number') {
      if (!isPort(one))
        found.add([...at, key], 'value', `got ${describe(one)}, want a port from 1 to 65535 or a name`);
    } else if (key === 'route') {
      const want = 'want "name" or "namespace/name"';
      if (!isRouteName(one)) found.add([...at, key], 'value', `got ${describe(one)}, ${want}`);
    } else found.text([...at, key], one, limits.nameBytes, 1);
  }
  if (namespace !== undefined) found.text([...at, 'namespace'], namespace, limits.nameBytes, 1);
  if (complete !== undefined) {
    if (typeof complete !== 'boolean') found.type([...at, 'complete'], complete, 'true or false');
    if (stated === undefined) found.lonely([...at, 'complete'], 'attributes');
  }
}

function parts(found: Findings, value: unknown): void {
  const at: Path = ['request'];
  const object = found.object(at, value, 'an object');
  if (object === undefined) return;
  found.fields(at, object, ['method', 'path', 'sni']);
  const { method, path, sni } = object;
  if (method !== undefined) found.text([...at, 'method'], method, limits.methodBytes, 1);
  if (path !== undefined) found.text([...at, 'path'], path, limits.pathBytes);
  if (sni !== undefined) found.text([...at, 'sni'], sni, limits.sniBytes);
}
