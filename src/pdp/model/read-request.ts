import { isAlias, shortestAlias } from './aliases.ts';
import type { Fields } from './fields.ts';
import { limits } from './limits.ts';
import { type Request, unknowns } from './request.ts';
import { isTrust } from './trust.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const {
  attributes: mostAttributes,
  attributeKeyBytes: longestKey,
  attributeValueBytes: longestValue,
} = limits;
const {
  nameBytes: longestName,
  methodBytes: longestMethod,
  pathBytes: longestPath,
  sniBytes: longestSni,
} = limits;
const shortest = shortestAlias;
const { tagValues: mostTagValues, completePrefixes: mostPrefixes, sharingPods: mostPods } = limits;

export type AttributesSide = 'source' | 'destination';

/** Who reads attributes while they are checked, so that they are gone through once. */
export interface AttributesReader {
  /** What was read before is of another request. */
  begin(): void;
  /** Whether they are such as requests have, of a side. */
  attributes(all: Fields, side: AttributesSide): boolean;
}

const checker: AttributesReader = { begin: () => {}, attributes: areAttributes };

/**
 * Whether a value is a request whose attributes have their canonical names, field by field, without building anything but
 * what its reader does: every decision passes here. With other names it is one by `asRequest`, with which
 * `requestViolations`, which says what is wrong, agrees on every value.
 */
export function isRequest(value: unknown, reader = checker): value is Request {
  reader.begin();
  if (!isThing(value)) return false;
  const { source, destination, request, at } = value;
  return (
    isPlain(value) &&
    isThing(destination) &&
    isDestination(destination, reader) &&
    (source === undefined || (isThing(source) && isSource(source, reader))) &&
    (request === undefined || (isThing(request) && isParts(request))) &&
    isTime(at) &&
    hasOnly(value, 1 + given(source) + given(request) + given(at))
  );
}

/** Fields are read by name, which is fast, and counted, so that one with another name is noticed. */
function given(value: unknown): number {
  return value === undefined ? 0 : 1;
}

function hasOnly(object: Fields, known: number): boolean {
  let count = 0;
  for (const _ in object) if (++count > known) break;
  if (count === known) return true;
  count = 0;
  for (const key in object) if (object[key] !== undefined && ++count > known) return false;
  return count === known;
}

/** A plain object, as parsers make them: what a prototype has is no evidence. */
export function isObject(value: unknown): value is Fields {
  return isThing(value) && isPlain(value);
}

function isThing(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Where fields of known names have just been read, the engine knows the shape and so the prototype without looking. */
function isPlain(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** As `isObject`. Of attributes no name is read otherwise, and this one never is null. */
function areFields(value: unknown): value is Fields {
  return isThing(value) && value['spiffe:id'] !== null && isPlain(value);
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= longestName;
}

export function isTime(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}

function isSource(source: Fields, reader: AttributesReader): boolean {
  const { spiffeId, mesh, tags, attributes, complete } = source;
  return (
    isPlain(source) &&
    // Its length is one of the reasons for which an ID is no ID: a verdict, not a violation.
    (spiffeId === undefined || typeof spiffeId === 'string') &&
    (mesh === undefined || isName(mesh)) &&
    (tags === undefined || (isObject(tags) && areTags(tags))) &&
    (attributes === undefined || (areFields(attributes) && reader.attributes(attributes, 'source'))) &&
    (complete === undefined || typeof complete === 'boolean' || isComplete(complete)) &&
    hasOnly(source, given(spiffeId) + given(mesh) + given(tags) + given(attributes) + given(complete))
  );
}

/** `Given.attributes` says the same of every value. */
function areAttributes(attributes: Fields, side: AttributesSide): boolean {
  let count = 0;
  for (const key in attributes) {
    const value = attributes[key];
    if (++count > mostAttributes || !isAttributeKey(key, side)) return false;
    if (typeof value === 'string' ? value.length > longestValue : !isAttributeObject(value, side))
      return false;
  }
  return true;
}

export function isAttributeKey(key: string, side: AttributesSide): boolean {
  const size = key.length;
  return size > 0 && (size < shortest || (size <= longestKey && !isAlias(key, side)));
}

/** Of a value that is no string. Only of a source can something be unknown to those who know the rest (SRC11). */
export function isAttributeObject(value: unknown, side: AttributesSide): boolean {
  if (!isObject(value)) return false;
  return value['unknown'] === undefined ? isStated(value) : side === 'source' && isUnknown(value);
}

function isStated(stated: Fields): boolean {
  for (const key in stated) {
    if (key !== 'value' && key !== 'trust' && key !== 'since' && stated[key] !== undefined) return false;
  }
  const { value, trust, since } = stated;
  return isText(value, longestValue) && (trust === undefined || isTrust(trust)) && isTime(since);
}

function isUnknown(stated: Fields): boolean {
  const { unknown, pods } = stated;
  return (
    unknowns.some((one) => one === unknown) &&
    (pods === undefined || (Array.isArray(pods) && pods.length <= mostPods && pods.every(isName))) &&
    hasOnly(stated, 1 + given(pods))
  );
}

function isComplete(prefixes: unknown): boolean {
  if (!isObject(prefixes)) return false;
  let count = 0;
  for (const prefix in prefixes) {
    if (++count > mostPrefixes || prefix === '' || prefix.length > longestKey) return false;
    if (!isTrust(prefixes[prefix])) return false;
  }
  return true;
}

function areTags(tags: Fields): boolean {
  let count = 0;
  for (const key in tags) {
    const value = tags[key];
    if (++count > mostAttributes || key === '' || key.length > longestKey) return false;
    if (Array.isArray(value)) {
      if (value.length === 0 || value.length > mostTagValues) return false;
      for (const one of value) if (!isText(one, longestValue)) return false;
    } else if (!isText(value, longestValue)) return false;
  }
  return true;
}

function isDestination(destination: Fields, reader: AttributesReader): boolean {
  const { dataplane, service, attributes, mesh, inbound, route, namespace, complete } = destination;
  if (!isPlain(destination) || given(dataplane) + given(service) + given(attributes) !== 1) return false;
  const beside = given(mesh) + given(inbound) + given(route) + given(namespace) + given(complete);
  return (
    (dataplane === undefined
      ? mesh === undefined && inbound === undefined && route === undefined
      : isName(dataplane)) &&
    (service === undefined || isServiceName(service)) &&
    (attributes === undefined
      ? complete === undefined
      : areFields(attributes) && reader.attributes(attributes, 'destination')) &&
    (mesh === undefined || isName(mesh)) &&
    (inbound === undefined || isName(inbound) || isPort(inbound)) &&
    (route === undefined || isRouteName(route)) &&
    (namespace === undefined || isName(namespace)) &&
    (complete === undefined || typeof complete === 'boolean') &&
    hasOnly(destination, 1 + beside)
  );
}

export function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** `name` or `namespace/name`. */
export function isRouteName(value: unknown): boolean {
  return isServiceName(value) || (isName(value) && !(value as string).includes('/'));
}

/** `ns/name`, both given. */
export function isServiceName(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2 * longestName + 1) return false;
  const slash = value.indexOf('/');
  return slash > 0 && slash < value.length - 1 && value.indexOf('/', slash + 1) < 0;
}

function isParts(parts: Fields): boolean {
  const { method, path, sni } = parts;
  return (
    isPlain(parts) &&
    (method === undefined || (isText(method, longestMethod) && method !== '')) &&
    (path === undefined || isText(path, longestPath)) &&
    (sni === undefined || isText(sni, longestSni)) &&
    hasOnly(parts, given(method) + given(path) + given(sni))
  );
}
