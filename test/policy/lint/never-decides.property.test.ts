import { describe, expect, test } from 'vitest';
import { InvalidDocuments, open } from '../../../src/index.ts';
import type { By } from '../../../src/pdp/model/decision.ts';
import type { Channel } from '../../../src/pdp/model/request.ts';
import { neverDeciding } from '../../../src/policy/lint/covered.ts';
import { lint } from '../../../src/policy/lint/lint.ts';
import { load } from '../../../src/policy/load.ts';
import { generate } from '../../oracle/generate.ts';
import { knownFrom } from '../../oracle/known.ts';
import { Random } from '../../oracle/random.ts';
import { requestFor } from '../../oracle/requests.ts';
import { rulesOf } from '../../oracle/rules.ts';
import { range } from '../../oracle/run.ts';
import type { Shape } from '../../oracle/shapes.ts';
import { openTwin } from '../../oracle/twin.ts';
import { digest } from '../loading.ts';
import { withVariants } from './variants.ts';

/** A rule that is said never to decide is asked about, and must not be what decides, in either world. */

const perRule = 16;
/** Of the rules of one set. */
const mostRules = 10;
/** Another one each run, named in what fails. */
const fresh = Date.now() % 1_000_000_000;

const nameOf = ({ kri, effect, index }: Omit<By, 'policy'>): string => `${kri}#${effect}/${index}`;

/** The rules that lint says never decide, by the names that decisions have for them. */
function reported(shapes: readonly Shape[]): Set<string> {
  const documents = shapes.map((value) => ({ value, place: () => undefined }));
  const loaded = load(documents, digest);
  const found = [...neverDeciding(loaded).keys()];
  const said = lint(loaded, documents).filter(({ code }) => code === 'never-decides');
  expect(said).toHaveLength(found.length);
  return new Set(found.map((id) => nameOf(loaded.rules[id]!.origin)));
}

interface Counts {
  rules: number;
  reported: number;
  /** Reported rules by what they are. */
  kinds: Map<string, number>;
  asked: number;
  /** Of those put to the twin, where the reported rule matched and something else decided. */
  matched: number;
}

function examine(seed: number, shapes: readonly Shape[], channel: Channel | undefined, counts: Counts): void {
  const names = reported(shapes);
  const placet = open(shapes, channel === undefined ? {} : { channel });
  const twin = openTwin(shapes, channel);
  const rules = rulesOf(shapes);
  const known = knownFrom(shapes);
  const random = new Random(seed);
  counts.rules += rules.length;
  counts.reported += names.size;
  const mine = rules.filter(({ by }) => names.has(nameOf(by)));
  expect(mine).toHaveLength(names.size);
  for (const { kind, list } of mine) {
    const name = list === undefined ? kind : 'item of a list';
    counts.kinds.set(name, (counts.kinds.get(name) ?? 0) + 1);
  }
  for (const rule of random.shuffled(mine).slice(0, mostRules)) {
    for (let i = 0; i < perRule; i++) {
      const request = requestFor(random, [rule], known);
      counts.asked++;
      // The twin is slow: it is asked now and then.
      const decisions = [placet.decide(request), ...(i % 4 === 0 ? [twin.decide(request)] : [])];
      for (const { by, shadowBy } of decisions) {
        for (const one of [by, shadowBy]) {
          if (one === null || !names.has(nameOf(one))) continue;
          const documents = JSON.stringify(shapes);
          throw new Error(
            `seed ${seed}: ${nameOf(one)} decides ${JSON.stringify(request)} on ${JSON.stringify(channel)}\n${documents}`,
          );
        }
      }
      if (i % 4 !== 0 || decisions[0]!.reason === 'invalid-request') continue;
      const told = twin.tell(request as Parameters<typeof twin.tell>[0]);
      if (
        told.weighed.some(
          (one) => one.matches && one.rule.by.kri === rule.by.kri && nameOf(one.rule.by) === nameOf(rule.by),
        )
      )
        counts.matched++;
    }
  }
}

function run(from: number, sets: number): Counts {
  const counts: Counts = { rules: 0, reported: 0, kinds: new Map(), asked: 0, matched: 0 };
  for (const seed of range(from, sets)) {
    const { documents, channel } = generate(seed, 0);
    const shapes = withVariants(new Random(seed), documents);
    try {
      examine(seed, shapes, channel, counts);
    } catch (error) {
      // A change can make a document that is refused.
      if (!(error instanceof InvalidDocuments)) throw error;
    }
  }
  return counts;
}

describe('a rule that is said never to decide', { timeout: 120_000 }, () => {
  test('[LINT2] decides nothing, among copies of rules', () => {
    const counts = run(1, 200);
    console.log(counts);
    expect(counts.reported).toBeGreaterThan(1_000);
    expect(counts.reported).toBeLessThan(counts.rules);
    expect(counts.matched).toBeGreaterThan(1_000);
    for (const kind of ['MeshTrafficPermission', 'AccessPolicy', 'PrivilegedAccessPolicy', 'item of a list'])
      expect([kind, counts.kinds.get(kind) ?? 0]).toSatisfy(([, count]) => count >= 20);
  });

  test(`[LINT2] decides nothing in sets of this run alone, from seed ${fresh}`, () => {
    run(fresh, 20);
  });
});
