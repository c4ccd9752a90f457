import { createEngine, type Engine } from '../pdp/engine.ts';
import type { PolicySet } from './set.ts';

/** Apart from reading a set, so that commands which decide nothing compile nothing. */
export function engineOf({ loaded }: PolicySet): Engine {
  return createEngine(loaded.rules, loaded.inventory, loaded.snapshot);
}
