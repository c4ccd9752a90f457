import { attributeStride, type Compiled } from './compile.ts';
import { stringAt } from './strings.ts';

/** What a thread derives once from a compiled set before it decides: the keys that it asks a request for, as text. */
export interface Attached {
  readonly compiled: Compiled;
  /** Per attribute. */
  readonly keys: readonly string[];
}

export function attach(compiled: Compiled): Attached {
  const keys: string[] = [];
  for (let at = 0; at < compiled.attributes.length; at += attributeStride) {
    keys.push(stringAt(compiled.strings, compiled.attributes[at] as number));
  }
  return { compiled, keys };
}
