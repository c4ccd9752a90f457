import type { Document } from '../document.ts';
import { compare, type Held } from './compare.ts';
import { globalViolations } from './global.ts';
import { Outcome, type Plan } from './outcome.ts';
import { type Resource, readResources } from './resource.ts';
import type { Side } from './side.ts';
import type { Digest } from './suffix.ts';
import { wantedOf } from './wanted.ts';

export type { Held } from './compare.ts';
export type { Action, Plan } from './outcome.ts';
export type { Side } from './side.ts';

/** One way between a zone and Global: exactly one of the sides is a zone. */
export interface Sync {
  readonly from: Side;
  readonly to: Side;
  readonly source: readonly Document[];
  readonly target: readonly Held[];
  readonly digest: Digest;
}

/** What makes one folder hold what another has for it. Pure: nothing is read or written here. */
export function planSync(sync: Sync): Plan {
  const { from, to, source, target, digest } = sync;
  const outcome = new Outcome();
  const here = read(source, from);
  const there = read(
    target.map(({ document }) => document),
    to,
  );
  compare(wantedOf(here, source, from, to, digest, outcome), there, sync, outcome);
  return outcome.plan();

  function read(documents: readonly Document[], side: Side): readonly Resource[] {
    const { resources, violations } = readResources(documents);
    const zone = from.zone ?? to.zone ?? '';
    const global = side.zone === undefined ? globalViolations(resources, side, zone, digest) : [];
    for (const { document, violation } of [...violations, ...global])
      outcome.refuse(documents[document], violation);
    return resources;
  }
}
