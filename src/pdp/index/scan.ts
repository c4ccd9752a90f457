import { isAlias, shortestAlias } from '../model/aliases.ts';
import { limits } from '../model/limits.ts';
import { isServiceName } from '../model/read-request.ts';
import { keys } from '../model/rule.ts';
import { forbiddenKeys } from '../model/text.ts';
import { Byte, Cursor, ordinaryEnd } from './cursor.ts';
import { asciiOf, type KeyTable } from './key-table.ts';
import {
  type ReadableDestination,
  type ReadableParts,
  type ReadableSource,
  rowStride,
  type Sheet,
  Written,
  WrittenAttributes,
  WrittenRow,
} from './written.ts';

const forbidden = forbiddenKeys.map(asciiOf);
/** As one of the attributes it is looked at by name (SRC3). */
const spiffeIdKey = asciiOf(keys.spiffeId);
const sides = ['source', 'destination'] as const;
const fields = {
  requests: asciiOf('requests'),
  source: asciiOf('source'),
  spiffeId: asciiOf('spiffeId'),
  attributes: asciiOf('attributes'),
  destination: asciiOf('destination'),
  mesh: asciiOf('mesh'),
  dataplane: asciiOf('dataplane'),
  inbound: asciiOf('inbound'),
  service: asciiOf('service'),
  namespace: asciiOf('namespace'),
  request: asciiOf('request'),
  method: asciiOf('method'),
  path: asciiOf('path'),
  sni: asciiOf('sni'),
};

/** Rows of more attributes are not looked through at each question for one: an object is faster there. */
const mostAttributes = 24;

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { space, quote, comma, colon, openList, closeList, open, close } = Byte;
const { attribute: attributeCell, hash: hashCell, key: keyCell, keyEnd: keyEndCell } = WrittenRow;
const { value: valueCell, valueEnd: endCell } = WrittenRow;
const stride = rowStride;

/**
 * Reads bodies that are written as machines write most of them: ASCII without escapes, an identity or attributes that
 * are strings, one destination, no field twice. What is not, or is no request, is for the parser, which knows what is
 * wrong with it; of what is read here both say the same (test/pdp/scan.property.test.ts).
 */
export class Scan extends Cursor {
  readonly #keys: KeyTable;
  /** Per side the rows of the request before: the next one often has the same keys. */
  readonly #before: [readonly number[], readonly number[]] = [[], []];

  constructor(keys: KeyTable, sheet: Sheet) {
    super(sheet);
    this.#keys = keys;
  }

  /** A body that is one request. */
  one(): Written | undefined {
    const request = this.#request();
    return this.isOver() ? request : undefined;
  }

  /** A body that is `{"requests":[…]}` and nothing else. */
  batch(most: number): readonly Written[] | undefined {
    const all: Written[] = [];
    if (!this.opened() || !this.is(fields.requests) || !this.take(openList)) return undefined;
    do {
      const request = all.length < most ? this.#request() : undefined;
      if (request === undefined) return undefined;
      all.push(request);
    } while (this.take(comma));
    return this.take(closeList) && this.take(close) && this.isOver() ? all : undefined;
  }

  #request(): Written | undefined {
    this.skip();
    const from = this.at;
    let source: ReadableSource | undefined;
    let destination: ReadableDestination | undefined;
    let request: ReadableParts | undefined;
    for (let more = this.opened(); more; more = this.another()) {
      let read: object | undefined;
      if (source === undefined && this.is(fields.source)) read = source = this.#source();
      else if (destination === undefined && this.is(fields.destination))
        read = destination = this.#destination();
      else if (request === undefined && this.is(fields.request)) read = request = this.#parts();
      if (read === undefined) return undefined;
    }
    if (!this.ended || destination === undefined) return undefined;
    return new Written(this.#keys, { source, destination, request }, this.sheet, from, this.at);
  }

  #source(): ReadableSource | undefined {
    let spiffeId: string | undefined;
    let attributes: WrittenAttributes | undefined;
    for (let more = this.opened(); more; more = this.another()) {
      let read: unknown;
      if (attributes === undefined && this.is(fields.attributes)) read = attributes = this.#attributes(0);
      else if (spiffeId === undefined && this.is(fields.spiffeId))
        read = spiffeId = this.text(0, limits.spiffeIdBytes);
      if (read === undefined) return undefined;
    }
    // Of one who has both more is asked, by key (`RequestValues`).
    if (!this.ended || (spiffeId !== undefined && attributes !== undefined)) return undefined;
    return { spiffeId, attributes };
  }

  #destination(): ReadableDestination | undefined {
    let mesh: string | undefined;
    let dataplane: string | undefined;
    let inbound: string | undefined;
    let service: string | undefined;
    let namespace: string | undefined;
    let attributes: WrittenAttributes | undefined;
    for (let more = this.opened(); more; more = this.another()) {
      let read: unknown;
      if (attributes === undefined && this.is(fields.attributes)) read = attributes = this.#attributes(1);
      else if (namespace === undefined && this.is(fields.namespace)) read = namespace = this.#name();
      else if (service === undefined && this.is(fields.service)) read = service = this.#service();
      else if (dataplane === undefined && this.is(fields.dataplane)) read = dataplane = this.#name();
      else if (inbound === undefined && this.is(fields.inbound)) read = inbound = this.#name();
      else if (mesh === undefined && this.is(fields.mesh)) read = mesh = this.#name();
      if (read === undefined) return undefined;
    }
    const ways = given(dataplane) + given(service) + given(attributes);
    const beside = dataplane === undefined && (mesh !== undefined || inbound !== undefined);
    if (!this.ended || ways !== 1 || beside) return undefined;
    return { mesh, dataplane, inbound, service, namespace, attributes };
  }

  #name(): string | undefined {
    return this.text(1, limits.nameBytes);
  }

  #service(): string | undefined {
    const service = this.text(0, limits.stringBytes);
    return isServiceName(service) ? service : undefined;
  }

  #parts(): ReadableParts | undefined {
    let method: string | undefined;
    let path: string | undefined;
    let sni: string | undefined;
    for (let more = this.opened(); more; more = this.another()) {
      let read: string | undefined;
      if (method === undefined && this.is(fields.method)) read = method = this.text(1, limits.methodBytes);
      else if (path === undefined && this.is(fields.path)) read = path = this.text(0, limits.pathBytes);
      else if (sni === undefined && this.is(fields.sni)) read = sni = this.text(0, limits.sniBytes);
      if (read === undefined) return undefined;
    }
    return this.ended ? { method, path, sni } : undefined;
  }

  #attributes(side: 0 | 1): WrittenAttributes | undefined {
    this.skip();
    const start = this.at;
    if (!this.take(open)) return undefined;
    const bytes = this.bytes;
    const length = this.length;
    const before = this.#before[side];
    const known = before.length;
    const rows = new Array<number>(known);
    /** All keys so far are those of the request before, in their order: none is there twice. */
    let alike = true;
    let at = this.at;
    let row = 0;
    for (;;) {
      while (bytes[at] === space) at++;
      const key = at + 1;
      let keyEnd = row < known ? this.#sameKey(before, row, at) : -1;
      if (keyEnd >= 0) {
        rows[row + attributeCell] = before[row + attributeCell] as number;
        rows[row + hashCell] = before[row + hashCell] as number;
      } else {
        this.at = at;
        if (row === mostAttributes * stride || !this.key() || !this.#isAttributeKey(side)) return undefined;
        keyEnd = this.to;
        rows[row + attributeCell] = this.#keys.find(bytes, key, keyEnd, this.hash, side);
        rows[row + hashCell] = this.hash;
        alike = false;
      }
      if (!alike && isTwice(rows, row)) return undefined;
      at = keyEnd + 1;
      while (bytes[at] === space) at++;
      if (bytes[at++] !== colon) return undefined;
      while (bytes[at] === space) at++;
      if (bytes[at++] !== quote) return undefined;
      rows[row + keyCell] = key;
      rows[row + keyEndCell] = keyEnd;
      rows[row + valueCell] = at;
      at = ordinaryEnd(bytes, at, length);
      rows[row + endCell] = at;
      if (at - (rows[row + valueCell] as number) > limits.attributeValueBytes) return undefined;
      if (at === length || bytes[at++] !== quote) return undefined;
      row += stride;
      while (bytes[at] === space) at++;
      if (bytes[at] !== comma) break;
      at++;
    }
    this.at = at;
    if (!this.take(close)) return undefined;
    rows.length = row;
    this.#before[side] = rows;
    return new WrittenAttributes(this.sheet, start, this.at, rows);
  }

  /** Where the key ends that begins at a quote, if it is that of a row; else -1. */
  #sameKey(rows: readonly number[], row: number, at: number): number {
    const { view } = this.sheet;
    const key = (rows[row + keyCell] as number) - 1;
    // With both quotes.
    const size = (rows[row + keyEndCell] as number) + 1 - key;
    if (at + size + 4 > this.length) return -1;
    let i = 0;
    for (; i + 4 <= size; i += 4) if (view.getInt32(key + i) !== view.getInt32(at + i)) return -1;
    for (; i < size; i++) if (view.getUint8(key + i) !== view.getUint8(at + i)) return -1;
    return at + size - 1;
  }

  #isAttributeKey(side: 0 | 1): boolean {
    const length = this.to - this.from;
    if (length === 0 || length > limits.attributeKeyBytes) return false;
    for (const key of forbidden) if (this.is(key)) return false;
    if (side === 0 && this.is(spiffeIdKey)) return false;
    return length < shortestAlias || !isAlias(this.sheet.slice(this.from, this.to), sides[side]);
  }
}

/** Whether a row has the key of one before, or another key with the same hash, which is as rare. */
function isTwice(rows: readonly number[], row: number): boolean {
  const hash = rows[row + hashCell];
  for (let other = 0; other < row; other += stride) if (rows[other + hashCell] === hash) return true;
  return false;
}

function given(value: unknown): number {
  return value === undefined ? 0 : 1;
}
