import type { Violation } from '../pdp/model/violation.ts';
import type { Document, Reading } from './document.ts';

/**
 * Readings by the very array that holds their documents. What could not be read may have been a deny, so whoever goes
 * on with the array alone must not lose it.
 */
const readings = new WeakMap<readonly Document[], Reading>();

/** Called as a reading begins; it need not be complete. */
export function remember(reading: Reading): Reading {
  readings.set(reading.documents, reading);
  return reading;
}

export function violationsBeside(documents: readonly Document[]): readonly Violation[] {
  return readings.get(documents)?.violations ?? [];
}

export function flawedBeside(documents: readonly Document[]): readonly Document[] {
  return readings.get(documents)?.flawed ?? [];
}
