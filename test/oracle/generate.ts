import type { Channel } from '../../src/pdp/model/request.ts';
import { alike } from './alike.ts';
import { knownFrom } from './known.ts';
import { policies, type Taste } from './policies.ts';
import { Random } from './random.ts';
import { channelFor, requestFor } from './requests.ts';
import { rulesOf } from './rules.ts';
import type { Shape } from './shapes.ts';
import { things } from './things.ts';

/** One random world and what is asked of it. */
export interface Case {
  seed: number;
  documents: Shape[];
  /** Not given: the operator's own. */
  channel?: Channel;
  requests: unknown[];
  /** The same with values that are nearly theirs. */
  alike: unknown[];
}

const tastes: readonly Taste[] = [
  { identity: 1, tags: 0, access: 0 },
  { identity: 1, tags: 0, access: 0 },
  { identity: 1, tags: 0, access: 0 },
  { identity: 8, tags: 1, access: 1 },
  { identity: 8, tags: 1, access: 1 },
  { identity: 0, tags: 1, access: 0 },
  { identity: 1, tags: 1, access: 0 },
  { identity: 0, tags: 0, access: 1 },
  { identity: 0, tags: 0, access: 1 },
  { identity: 2, tags: 1, access: 2 },
];

export function generate(seed: number, requests = 10, most = 60): Case {
  const random = new Random(seed);
  const rules = random.chance(0.2) ? random.between(1, 5) : random.between(4, most);
  const documents = random.shuffled([...things(random), ...policies(random, rules, random.pick(tastes))]);
  const known = knownFrom(documents);
  const drawn = rulesOf(documents);
  const channel = channelFor(random);
  const asked = Array.from({ length: requests }, () => requestFor(random, drawn, known));
  return {
    seed,
    documents,
    ...(channel === undefined ? {} : { channel }),
    requests: asked,
    alike: asked.map((request) => alike(random, request)),
  };
}
