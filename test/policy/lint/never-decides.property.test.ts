import { describe, expect, test } from 'vitest';
import { InvalidDocuments, open, type Placet } from '../../../src/index.ts';
import type { By, Decision } from '../../../src/pdp/model/decision.ts';
import { valueAt } from '../../../src/pdp/model/fields.ts';
import { normalisePath } from '../../../src/pdp/model/path.ts';
import type { Channel } from '../../../src/pdp/model/request.ts';
import type { Path } from '../../../src/pdp/model/violation.ts';
import { neverDeciding } from '../../../src/policy/lint/covered.ts';
import { lintByDocument } from '../../../src/policy/lint/lint.ts';
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

interface Said {
  readonly document: number;
  readonly path: Path;
  /** Of which pairs with the place, or of all. */
  readonly with: readonly number[] | undefined;
}

interface Reported {
  /** The rules that lint says never decide, by the names that decisions have for them. */
  readonly names: ReadonlySet<string>;
  readonly said: readonly Said[];
}

function reported(shapes: readonly Shape[]): Reported {
  const documents = shapes.map((value) => ({ value, place: () => undefined }));
  const loaded = load(documents, digest);
  const found = [...neverDeciding(loaded).keys()];
  const said = lintByDocument(loaded, documents).flatMap(({ document, finding }): Said[] => {
    const { code, path, message } = finding;
    if (code !== 'never-decides') return [];
    const pairs = /^together with (.*?) it/.exec(message)?.[1];
    return [{ document, path, with: pairs?.split(', ').map((one) => Number(/\d+/.exec(one)![0])) }];
  });
  // Nothing of what was found is left out or said of others.
  const means = (id: number): Said | undefined => {
    const { document, path, index, kind } = loaded.rules[id]!.origin;
    const { first, count } = loaded.policies.find((one) => id >= one.first && id < one.first + one.count)!;
    const from = loaded.rules.slice(first, first + count).filter(({ origin }) => origin.path.at(-1) === 0);
    const to = kind === 'MeshTrafficPermission' ? 0 : index % from.length;
    const column = [...path.slice(0, -2), 'to', to].join();
    return said.find((one) => {
      if (one.document !== document) return false;
      if (one.path.join() === column) return kind !== 'MeshTrafficPermission';
      return one.path.join() === path.join() && (one.with?.includes(to) ?? true);
    });
  };
  expect(new Set([...loaded.rules.keys()].filter((id) => means(id) !== undefined))).toEqual(new Set(found));
  return { names: new Set(found.map((id) => nameOf(loaded.rules[id]!.origin))), said };
}

/** The documents without a place. */
function without(shapes: readonly Shape[], { document, path }: Said): readonly Shape[] {
  const changed = structuredClone(shapes) as Shape[];
  let list: unknown = changed[document];
  for (const part of path.slice(0, -1)) list = (list as Record<string | number, unknown>)[part];
  (list as unknown[]).splice(path.at(-1) as number, 1);
  return changed;
}

interface Counts {
  rules: number;
  reported: number;
  /** Reported rules by what they are. */
  kinds: Map<string, number>;
  asked: number;
  /** Put to the documents without a place that is said never to decide, too. */
  compared: number;
  /** Of those put to the twin, where the reported rule matched and something else decided. */
  matched: number;
}

function examine(seed: number, shapes: readonly Shape[], channel: Channel | undefined, counts: Counts): void {
  const { names, said } = reported(shapes);
  const options = channel === undefined ? {} : { channel };
  const placet = open(shapes, options);
  const twin = openTwin(shapes, channel);
  const rules = rulesOf(shapes);
  const known = knownFrom(shapes);
  const random = new Random(seed);
  counts.rules += rules.length;
  counts.reported += names.size;
  const mine = rules.filter(({ by }) => names.has(nameOf(by)));
  expect(mine).toHaveLength(names.size);
  const [place] = random.shuffled(said.filter((one) => one.with === undefined));
  const less = place === undefined ? undefined : openSome(() => open(without(shapes, place), options));
  for (const { kind, list } of mine) {
    const name = list === undefined ? kind : 'item of a list';
    counts.kinds.set(name, (counts.kinds.get(name) ?? 0) + 1);
  }
  for (const rule of random.shuffled(mine).slice(0, mostRules)) {
    for (let i = 0; i < perRule; i++) {
      const request = requestFor(random, [rule], known);
      counts.asked++;
      // A rule that reads paths has ambiguous ones denied, whether it ever decides or not.
      const path = valueAt(request, ['request', 'path']);
      const isAmbiguous = typeof path === 'string' && normalisePath(path) === undefined;
      if (less !== undefined && !isAmbiguous) {
        counts.compared++;
        expect(verdicts(less.decide(request))).toEqual(verdicts(placet.decide(request)));
      }
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

function verdicts({ decision, shadow }: Decision): readonly unknown[] {
  return [decision, shadow];
}

/** A policy of which nothing is left is none. */
function openSome(opening: () => Placet): Placet | undefined {
  try {
    return opening();
  } catch (error) {
    if (error instanceof InvalidDocuments) return undefined;
    throw error;
  }
}

function run(from: number, sets: number): Counts {
  const counts: Counts = { rules: 0, reported: 0, kinds: new Map(), asked: 0, compared: 0, matched: 0 };
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
    expect(counts.compared).toBeGreaterThan(10_000);
    for (const kind of ['MeshTrafficPermission', 'AccessPolicy', 'PrivilegedAccessPolicy', 'item of a list'])
      expect([kind, counts.kinds.get(kind) ?? 0]).toSatisfy(([, count]) => count >= 20);
  });

  test(`[LINT2] decides nothing in sets of this run alone, from seed ${fresh}`, () => {
    expect(run(fresh, 20).asked).toBeGreaterThan(0);
  });
});

test.each([
  [{ path: { type: 'Prefix', value: '/' } }, false],
  [{}, true],
])(
  '[LINT2] [PATH3] says what else a rule for a path does, beside a stronger one that asks for %o',
  (more, says) => {
    const all = { spiffeId: { type: 'Prefix', value: 'spiffe://td.example/' } };
    const allow = [
      { ...all, ...more },
      { ...all, path: { type: 'Exact', value: '/metrics' } },
    ];
    const shapes = [{ type: 'MeshTrafficPermission', name: 'a', spec: { rules: [{ default: { allow } }] } }];
    const documents = shapes.map((value) => ({ value, place: () => undefined }));
    const hints = lintByDocument(load(documents, digest), documents).flatMap(({ finding }) =>
      finding.code === 'never-decides' ? (finding.hint ?? '') : [],
    );
    expect(hints.map((hint) => hint.includes('read in two ways'))).toEqual([says]);
  },
);
