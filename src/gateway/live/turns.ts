import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of one turn of the event loop, after which requests have theirs. */
const budget = 4;

/** Does work in steps without keeping anybody waiting. `paused` is told how long each turn took. */
export async function inTurns<T>(
  steps: Generator<void, T>,
  paused: (milliseconds: number) => void,
): Promise<T> {
  for (;;) {
    await turn();
    const start = performance.now();
    let next = steps.next();
    while (next.done !== true && performance.now() - start < budget) next = steps.next();
    paused(performance.now() - start);
    if (next.done === true) return next.value;
  }
}
