import { type Cursor, required, whole } from './cursor.ts';
import type { Test } from './evidence.ts';

/** What permissions and principals have in common: sets of themselves under `and` and `or`, `not`, and `any`. */
export interface Words {
  readonly and: string;
  readonly or: string;
  readonly not: string;
  /** The list inside a set. */
  readonly list: string;
}

export function readConnective(
  kind: string,
  config: Cursor,
  words: Words,
  read: (part: Cursor) => Test | undefined,
): Test | undefined {
  if (kind === 'any') {
    const any = config.flag();
    if (any === false) return config.refuse('value', 'got any: false, want true');
    return any && (() => true);
  }
  if (kind === words.not) {
    const inner = read(config);
    return inner && ((seen) => !inner(seen));
  }
  const set = config.fields(words.list);
  const list = set && required(config, set, words.list);
  const tests = whole(list?.items(1)?.map(read));
  if (tests === undefined) return undefined;
  return kind === words.or
    ? (seen) => tests.some((test) => test(seen))
    : (seen) => tests.every((test) => test(seen));
}
