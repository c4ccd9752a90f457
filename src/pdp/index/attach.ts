import { attributeStride, type Compiled } from './compile.ts';
import { stringAt } from './strings.ts';

/** What a thread derives once from a compiled set before it decides: text in the form that look-ups need. */
export interface Attached {
  readonly compiled: Compiled;
  /** Per attribute: its key; for a tag the tag's own name. */
  readonly keys: readonly string[];
  /** Per attribute: exact values to symbols; undefined where there are none. */
  readonly exact: readonly (ReadonlyMap<string, number> | undefined)[];
  /** Attribute of each side's key. */
  readonly destinationAttributes: ReadonlyMap<string, number>;
}

export function attach(compiled: Compiled): Attached {
  const { strings, attributes, symbols } = compiled;
  const count = attributes.length / attributeStride;
  const names: string[] = [];
  const exact: (Map<string, number> | undefined)[] = new Array(count).fill(undefined);
  const destinationAttributes = new Map<string, number>();
  for (let id = 0; id < count; id++) {
    const key = stringAt(strings, attributes[id * attributeStride] as number);
    names.push(key);
    if (attributes[id * attributeStride + 2] === 1) destinationAttributes.set(key, id);
  }
  for (let id = 0; id < symbols.length / 3; id++) {
    if (symbols[id * 3 + 2] !== 0) continue;
    const attribute = symbols[id * 3] as number;
    let values = exact[attribute];
    if (values === undefined) {
      values = new Map();
      exact[attribute] = values;
    }
    values.set(stringAt(strings, symbols[id * 3 + 1] as number), id);
  }
  return { compiled, keys: names, exact, destinationAttributes };
}
