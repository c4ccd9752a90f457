import { attributeStride, type Compiled } from './compile.ts';
import { stringAt } from './strings.ts';

/** What a thread derives once from a compiled set before it decides: the keys that it asks a request for, as text. */
export interface Attached {
  readonly compiled: Compiled;
  /** Per attribute. */
  readonly keys: readonly string[];
}

export function attach(compiled: Compiled): Attached {
  const { attributes, strings } = compiled;
  const keys: string[] = [];
  for (let at = 0; at < attributes.length; at += attributeStride) {
    keys.push(unique(stringAt(strings, attributes[at] as number)));
  }
  return { compiled, keys };
}

/** The one string that engines keep for all equal property names: objects are asked for these keys. */
function unique(text: string): string {
  return Object.keys({ [text]: 0 })[0] as string;
}
