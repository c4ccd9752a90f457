import type { Catalogue, Node, Resource } from '../../envoy/xds/resource.ts';
import { type Discovery, discovery } from '../../envoy/xds/service.ts';
import type { LivePolicies } from '../../gateway/live/policies.ts';
import { messageOf } from '../../pdp/model/text.ts';
import type { Answers, Given, Made, Want, Wanted } from './rendering.ts';
import { Shared } from './shared.ts';

/** Lines that are remembered: whoever asks chooses what is in them. */
const mostSaid = 1_000;

/** Asked for in one question: all of them go over again where there is time for one only. */
const mostAtOnce = 250;

interface Asking {
  readonly node: Node;
  readonly want: Want;
  resolve(resources: readonly Resource[]): void;
  reject(error: unknown): void;
}

/**
 * What Envoys get, made where the rules are and kept here once, however many of them get it, and for as long as one of
 * them has it. Those who ask while an answer is awaited are asked for together when it has come.
 */
export class LiveCatalogue implements Catalogue {
  readonly #live: Pick<LivePolicies, 'aside'>;
  readonly #say: (line: string) => void;
  readonly #shared = new Shared();
  readonly #said = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #waiting: Asking[] = [];
  #busy = false;

  constructor(live: Pick<LivePolicies, 'aside'>, say: (line: string) => void) {
    this.#live = live;
    this.#say = say;
  }

  /** Resources that are kept. */
  get kept(): number {
    return this.#shared.size;
  }

  /** There are other policies. */
  changed(): void {
    this.#said.clear();
    for (const listener of this.#listeners) listener();
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  render(node: Node, names: readonly string[]): Promise<readonly Resource[]> {
    const { proxy } = node;
    const want = { ...(proxy === undefined ? {} : { proxy }), names };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ node, want, resolve, reject });
      void this.#ask();
    });
  }

  left(node: Node): void {
    this.#shared.leave(node);
  }

  async #ask(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    // All who ask in this turn come into one question.
    await undefined;
    while (this.#waiting.length > 0) {
      await this.#answer(this.#waiting.splice(0, mostAtOnce));
    }
    this.#busy = false;
  }

  async #answer(asking: readonly Asking[]): Promise<void> {
    const wants = asking.map(({ want }) => want);
    // Held while it is asked, so that what is known stays so.
    const held = this.#shared.of(new Set(wants.flatMap(({ names }) => names)));
    const known = new Map([...held].map(([name, versions]) => [name, new Set(versions.keys())]));
    const bytesOf = ({ name, version, bytes }: Given) => {
      const found = bytes ?? held.get(name)?.get(version)?.bytes;
      if (found === undefined) throw new Error(`got no bytes of ${name}, want those of ${version}`);
      return found;
    };
    try {
      const answers = await this.#live.aside<Answers>({ wants, known } satisfies Wanted);
      if (answers.length === 0) throw new Error('got no answer, want at least one');
      for (const [at, made] of answers.entries()) this.#give(asking[at] as Asking, made, bytesOf);
      // Those for whom there was no time go before all who came later.
      this.#waiting.unshift(...asking.slice(answers.length));
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  }

  #give({ node, resolve, reject }: Asking, made: Made, bytesOf: (one: Given) => Uint8Array): void {
    if ('failed' in made) return reject(new Error(made.failed));
    for (const problem of made.problems) this.#sayOnce(`xds: ${node.id}: ${problem}`);
    const resources = made.resources.map((one) => ({ ...one, bytes: bytesOf(one) }));
    resolve(this.#shared.give(node, resources));
  }

  #sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    if (this.#said.size >= mostSaid) return;
    this.#said.add(line);
    this.#say(line);
  }
}

/** xDS over what is live; what a node refuses, and what cannot be made, is said. */
export function discoveryOf(catalogue: Catalogue, say: (line: string) => void): Discovery {
  return discovery({
    catalogue,
    onRefused: ({ id }, names, words) => say(`xds: ${id} refuses ${names.join(', ')}: ${words}`),
    onFailed: ({ id }, error) => say(`xds: ${id}: ${messageOf(error)}`),
  });
}
