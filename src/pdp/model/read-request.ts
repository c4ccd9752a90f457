import { limits } from './limits.ts';
import type { Request } from './request.ts';
import { isTrust } from './trust.ts';

/**
 * Whether a value is a request, field by field, without building anything: every decision passes here. What is
 * wrong with one that is not is said by `requestViolations`, which agrees with this on every value.
 */
export function isRequest(value: unknown): value is Request {
  if (!isObject(value)) return false;
  for (const key in value) {
    switch (key) {
      case 'source':
      case 'destination':
      case 'request':
        break;
      case 'at':
        if (!isTime(value['at'])) return false;
        break;
      default:
        if (value[key] !== undefined) return false;
    }
  }
  const { source, destination, request } = value;
  return (
    isObject(destination) &&
    isDestination(destination) &&
    (source === undefined || (isObject(source) && isSource(source))) &&
    (request === undefined || (isObject(request) && isParts(request)))
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= limits.nameBytes;
}

export function isTime(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value));
}

function isSource(source: Fields): boolean {
  for (const key in source) {
    const value = source[key];
    if (value === undefined) continue;
    switch (key) {
      case 'spiffeId':
        // Its length is one of the reasons for which an ID is no ID: a verdict, not a violation.
        if (typeof value !== 'string') return false;
        break;
      case 'mesh':
        if (!isName(value)) return false;
        break;
      case 'tags':
        if (!isObject(value) || !areTags(value)) return false;
        break;
      case 'attributes':
        if (!isObject(value) || !areAttributes(value)) return false;
        break;
      case 'complete':
        if (typeof value !== 'boolean') return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function areAttributes(attributes: Fields): boolean {
  let count = 0;
  for (const key in attributes) {
    const value = attributes[key];
    if (++count > limits.attributes || key === '' || key.length > limits.attributeKeyBytes) return false;
    if (typeof value === 'string') {
      if (value.length > limits.attributeValueBytes) return false;
    } else if (!isObject(value) || !isStated(value)) return false;
  }
  return true;
}

function isStated(stated: Fields): boolean {
  for (const key in stated) {
    if (key !== 'value' && key !== 'trust' && key !== 'since' && stated[key] !== undefined) return false;
  }
  const { value, trust, since } = stated;
  return (
    isText(value, limits.attributeValueBytes) && (trust === undefined || isTrust(trust)) && isTime(since)
  );
}

function areTags(tags: Fields): boolean {
  let count = 0;
  for (const key in tags) {
    const value = tags[key];
    if (++count > limits.attributes || key === '' || key.length > limits.attributeKeyBytes) return false;
    if (Array.isArray(value)) {
      if (value.length === 0 || value.length > limits.tagValues) return false;
      for (const one of value) if (!isText(one, limits.attributeValueBytes)) return false;
    } else if (!isText(value, limits.attributeValueBytes)) return false;
  }
  return true;
}

function isDestination(destination: Fields): boolean {
  let ways = 0;
  for (const key in destination) {
    const value = destination[key];
    if (value === undefined) continue;
    switch (key) {
      case 'dataplane':
        ways++;
        if (!isName(value)) return false;
        break;
      case 'service':
        ways++;
        if (!isServiceName(value)) return false;
        break;
      case 'attributes':
        ways++;
        if (!isObject(value) || !areAttributes(value)) return false;
        break;
      case 'mesh':
      case 'inbound':
        if (destination['dataplane'] === undefined) return false;
        if (!isName(value) && !(key === 'inbound' && isPort(value))) return false;
        break;
      case 'namespace':
        if (!isName(value)) return false;
        break;
      case 'complete':
        if (typeof value !== 'boolean' || destination['attributes'] === undefined) return false;
        break;
      default:
        return false;
    }
  }
  return ways === 1;
}

export function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** `ns/name`, both given. */
export function isServiceName(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2 * limits.nameBytes + 1) return false;
  const slash = value.indexOf('/');
  return slash > 0 && slash < value.length - 1 && value.indexOf('/', slash + 1) < 0;
}

function isParts(parts: Fields): boolean {
  for (const key in parts) {
    const value = parts[key];
    if (value === undefined) continue;
    switch (key) {
      case 'method':
        if (!isText(value, limits.methodBytes) || value === '') return false;
        break;
      case 'path':
        if (!isText(value, limits.pathBytes)) return false;
        break;
      case 'sni':
        if (!isText(value, limits.sniBytes)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}
