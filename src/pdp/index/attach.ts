import { AttributeColumn, attributeStride, type Compiled } from './compile.ts';
import { type ExactValues, Fingerprinted, symbolStride } from './exact.ts';
import { interned } from './fingerprint.ts';
import { KeyTable } from './key-table.ts';
import { stringAt } from './strings.ts';
import { Texts, unique } from './texts.ts';
import { Kind } from './vocabulary.ts';

/** What a thread derives once from a compiled set before it decides: text in the form that look-ups need. */
export interface Attached {
  readonly compiled: Compiled;
  /** Per attribute. */
  readonly keys: readonly string[];
  /** Per attribute that has any. */
  readonly exact: readonly (ExactValues | undefined)[];
  /** Of exact values. */
  readonly texts: Texts;
  /** For those who read keys off the bytes of a request. */
  readonly table: KeyTable;
}

export function attach(compiled: Compiled): Attached {
  const steps = attaching(compiled);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** How much is done in one step: well below a millisecond. */
const step = 500;

/** The same in steps, for those who have something else to do in between. */
export function* attaching(compiled: Compiled): Generator<void, Attached> {
  const { attributes, strings, symbols } = compiled;
  const keys: string[] = [];
  const table = new KeyTable(attributes.length / attributeStride);
  for (let at = 0; at < attributes.length; at += attributeStride) {
    if (at % (step * attributeStride) === 0) yield;
    const key = unique(stringAt(strings, attributes[at + AttributeColumn.key] as number));
    table.add(key, keys.push(key) - 1, attributes[at + AttributeColumn.kind] as number);
  }
  // Names of policies stand behind the last value of a rule.
  let last = -1;
  for (let at = 1; at < symbols.length; at += symbolStride) last = Math.max(last, symbols[at] as number);
  const texts = new Texts(strings, last + 1);
  const exact: (ExactValues | undefined)[] = keys.map(() => undefined);
  for (let first = 0; first < symbols.length; ) {
    yield;
    const attribute = symbols[first] as number;
    const end = endOf(symbols, first);
    const own = symbols.subarray(first, end);
    const row = attribute * attributeStride;
    const tail = attributes[row + AttributeColumn.tail] as number;
    // The engine's own maps are faster than a table of ours, which counts for tags: they are looked up each time.
    const mapped = tail === interned || attributes[row + AttributeColumn.kind] === Kind.tag;
    exact[attribute] = mapped ? yield* mapOf(own, texts) : new Fingerprinted(own, texts, tail);
    first = end;
  }
  return { compiled, keys, exact, texts, table };
}

/** Where the symbols of an attribute end. */
function endOf(symbols: Int32Array, first: number): number {
  let end = first;
  while (end < symbols.length && symbols[end] === symbols[first]) end += symbolStride;
  return end;
}

function* mapOf(symbols: Int32Array, texts: Texts): Generator<void, Map<string, number>> {
  const codes = new Map<string, number>();
  for (let at = 0; at < symbols.length; at += symbolStride) {
    if (at % (symbolStride * step) === 0) yield;
    codes.set(texts.of(symbols[at + 1] as number), symbols[at + 2] as number);
  }
  return codes;
}
