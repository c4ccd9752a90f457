import { formatPlace, type Place } from '../../pdp/model/violation.ts';
import { printable } from '../terminal/plain.ts';

export function showPlace(place: Place | undefined): string {
  return place === undefined ? '' : printable(formatPlace(place));
}

/** One rule of a policy, in the notation that cases use in `by`. */
export function showRule(by: {
  readonly policy: string;
  readonly effect: string;
  readonly index: number;
}): string {
  return `${printable(by.policy)}#${by.effect}/${by.index}`;
}
