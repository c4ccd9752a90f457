import type { Request, RequestSource, Stated, StatedAttributes } from '../model/request.ts';
import { fingerprintAt } from './fingerprint.ts';
import type { KeyTable } from './key-table.ts';
import { areBytes, type StringTable } from './strings.ts';

/** A body: its bytes, and what stands between two of them as a text of its own, which does not keep the rest alive. */
export interface Sheet {
  readonly bytes: Uint8Array;
  /** The same, for who reads four at a time. */
  readonly view: DataView;
  slice(from: number, to: number): string;
}

/**
 * Of an attribute: its number, -1 if no rule reads it, the hash of its key, and from where to where its key and its
 * value stand.
 */
export const WrittenRow = { attribute: 0, hash: 1, key: 2, keyEnd: 3, value: 4, valueEnd: 5 } as const;
export const rowStride = 6;

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { attribute: attributeCell, value: valueCell, valueEnd: endCell } = WrittenRow;
const stride = rowStride;

/** The attributes of one side of a request as they stand in it, each of them a string. */
export class WrittenAttributes {
  readonly #sheet: Sheet;
  readonly #from: number;
  readonly #to: number;
  readonly #rows: readonly number[];
  #objects: WrittenObjects | undefined;

  constructor(sheet: Sheet, from: number, to: number, rows: readonly number[]) {
    this.#sheet = sheet;
    this.#from = from;
    this.#to = to;
    this.#rows = rows;
  }

  /** The same as an object, for those who ask by key. */
  get objects(): WrittenObjects {
    this.#objects ??= JSON.parse(this.#sheet.slice(this.#from, this.#to)) as WrittenObjects;
    return this.#objects;
  }

  /** Where the row of an attribute is, or -1: there are few, and they lie side by side. */
  find(attribute: number): number {
    const rows = this.#rows;
    const end = rows.length;
    for (let row = 0; row < end; row += stride) if (rows[row + attributeCell] === attribute) return row;
    return -1;
  }

  text(attribute: number): string | undefined {
    const row = this.find(attribute);
    return row < 0 ? undefined : this.textOf(row);
  }

  textOf(row: number): string {
    return this.#sheet.slice(this.#rows[row + valueCell] as number, this.#rows[row + endCell] as number);
  }

  fingerprintOf(row: number, tail: number): number {
    const rows = this.#rows;
    return fingerprintAt(
      this.#sheet.view,
      rows[row + valueCell] as number,
      rows[row + endCell] as number,
      tail,
    );
  }

  /** Whether the value of a row is this string. */
  isText(row: number, strings: StringTable, id: number): boolean {
    const rows = this.#rows;
    return areBytes(
      strings,
      id,
      this.#sheet.bytes,
      rows[row + valueCell] as number,
      rows[row + endCell] as number,
    );
  }
}

type WrittenObjects = Readonly<Record<string, string>>;

/** What is stated of an attribute that has this key. */
export function statedIn(
  attributes: StatedAttributes | WrittenAttributes | undefined,
  attribute: number,
  key: string,
): Stated | undefined {
  return attributes instanceof WrittenAttributes ? attributes.text(attribute) : attributes?.[key];
}

/** The same as an object, for those who have no number to ask by. */
export function objectsOf<T extends StatedAttributes | undefined>(
  attributes: T | WrittenAttributes,
): T | WrittenObjects {
  return attributes instanceof WrittenAttributes ? attributes.objects : attributes;
}

/** A request that was read and not made an object: to make one takes longer than to decide it. */
export class Written implements Readable {
  readonly source: ReadableSource | undefined;
  readonly destination: ReadableDestination;
  readonly request: ReadableParts | undefined;
  /** Whose numbers its attributes have. */
  readonly keys: KeyTable;
  readonly #sheet: Sheet;
  readonly #from: number;
  readonly #to: number;
  #objects: Request | undefined;

  constructor(keys: KeyTable, parts: Readable, sheet: Sheet, from: number, to: number) {
    this.source = parts.source;
    this.destination = parts.destination;
    this.request = parts.request;
    this.keys = keys;
    this.#sheet = sheet;
    this.#from = from;
    this.#to = to;
  }

  /** As it was written. */
  get json(): string {
    return this.#sheet.slice(this.#from, this.#to);
  }

  /** The same as an object. */
  get objects(): Request {
    this.#objects ??= JSON.parse(this.json) as Request;
    return this.#objects;
  }
}

export function jsonOf(request: Request | Written): string {
  return request instanceof Written ? request.json : JSON.stringify(request);
}

export function asObject(request: Request | Written): Request {
  return request instanceof Written ? request.objects : request;
}

/** What is read of a request to decide it. */
export interface Readable {
  readonly source?: ReadableSource | undefined;
  readonly destination: ReadableDestination;
  readonly request?: ReadableParts | undefined;
  readonly at?: number;
}

export interface ReadableSource {
  readonly spiffeId?: string | undefined;
  readonly mesh?: string;
  readonly tags?: NonNullable<RequestSource['tags']>;
  readonly attributes?: StatedAttributes | WrittenAttributes | undefined;
  readonly complete?: NonNullable<RequestSource['complete']>;
}

export interface ReadableDestination {
  readonly mesh?: string | undefined;
  readonly dataplane?: string | undefined;
  readonly inbound?: string | number | undefined;
  readonly route?: string;
  readonly service?: string | undefined;
  readonly namespace?: string | undefined;
  readonly attributes?: StatedAttributes | WrittenAttributes | undefined;
  readonly complete?: boolean;
}

export interface ReadableParts {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly sni?: string | undefined;
}
