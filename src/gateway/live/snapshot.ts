import { deserialize } from 'node:v8';
import { Decider } from '../../pdp/decide.ts';
import { attaching } from '../../pdp/index/attach.ts';
import type { By } from '../../pdp/model/decision.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Place } from '../../pdp/model/violation.ts';
import type { Snapshot } from '../service.ts';
import type { SetMessage } from './messages.ts';
import { findPlace } from './places.ts';

/** What came over from the thread that compiles, made ready to decide with. `before`: what it takes the place of. */
export function* snapshotOf(
  { name, compiled, places, inventory: bytes }: SetMessage,
  before?: Snapshot,
): Generator<void, Snapshot> {
  const attached = yield* attaching(compiled);
  yield;
  // What did not change is not sent.
  const inventory = bytes === undefined ? before!.inventory : (deserialize(bytes) as Inventory);
  yield;
  const decider = new Decider(compiled, inventory, name, attached);
  const known = new WeakMap<By, Place | false>();
  return {
    name,
    since: before?.name === name ? before.since : Date.now(),
    inventory,
    decide: (request, channel) => decider.decide(request, channel),
    scan: (sheet) => decider.scan(sheet),
    named: (key) => decider.named(key),
    placeOf(by) {
      let place = known.get(by);
      if (place === undefined) {
        place = findPlace(places, compiled, by) ?? false;
        known.set(by, place);
      }
      return place === false ? undefined : place;
    },
  };
}
