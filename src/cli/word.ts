import { nearest } from '../pdp/model/text.ts';
import { exit, Failure } from './failure.ts';

/** An option's value out of a few words; for another one the nearest is named, or `hint` is given where none is near. */
export function word<T extends string>(
  option: string,
  given: string | undefined,
  words: readonly T[],
  hint?: string,
): T | undefined {
  if (given === undefined) return undefined;
  const known = words.find((one) => one === given);
  if (known !== undefined) return known;
  const close = nearest(given, words);
  throw new Failure(
    exit.usage,
    `${option} ${given}: want one of ${words.join(', ')}`,
    close === undefined ? hint : `did you mean ${close}?`,
  );
}
