import { attributeStride, type Compiled } from './compile.ts';
import { KeyTable } from './key-table.ts';
import { stringAt } from './strings.ts';

/** What a thread derives once from a compiled set before it decides: text in the form that look-ups need. */
export interface Attached {
  readonly compiled: Compiled;
  /** Per attribute. */
  readonly keys: readonly string[];
  /** Per attribute: its exact values to their codes. The engine's own maps are faster than a table of ours. */
  readonly exact: readonly (ReadonlyMap<string, number> | undefined)[];
  /** Per string: its text, where it is an exact value. */
  readonly texts: readonly string[];
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
    const key = unique(stringAt(strings, attributes[at] as number));
    table.add(key, keys.push(key) - 1, attributes[at + 1] as number);
  }
  const exact: (Map<string, number> | undefined)[] = keys.map(() => undefined);
  // Names of policies stand behind the last value of a rule.
  let last = -1;
  for (let at = 1; at < symbols.length; at += 3) last = Math.max(last, symbols[at] as number);
  const texts: string[] = new Array(last + 1).fill('');
  for (let at = 0; at < symbols.length; at += 3) {
    if (at % (3 * step) === 0) yield;
    const attribute = symbols[at] as number;
    let values = exact[attribute];
    if (values === undefined) {
      values = new Map();
      exact[attribute] = values;
    }
    const id = symbols[at + 1] as number;
    const text = texts[id] || stringAt(strings, id);
    // JSON.parse gives short equal strings as one, which is then found without comparing text.
    texts[id] = text.length <= shortest ? unique(text) : text;
    values.set(texts[id], symbols[at + 2] as number);
  }
  return { compiled, keys, exact, texts, table };
}

const shortest = 10;

/**
 * A dictionary from the start. An object with one property is of a shape of its own for each name of it, of which an
 * engine has room for 1,536: with more, literals that are alike are of different shapes until the next collection, and
 * code that was compiled for them meanwhile stays slow.
 */
const names: Record<string, true> = Object.create(null) as Record<string, true>;

/** The one string that the engine keeps for all equal property names. */
export function unique(text: string): string {
  names[text] = true;
  const [name] = Object.keys(names) as [string];
  delete names[name];
  return name;
}
