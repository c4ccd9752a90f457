import { type Node, type Range, RegexFault } from './syntax.ts';

/** States of a pattern as one list; where each leads is the number of another. Matching takes no more than text times states. */
type State =
  | {
      readonly kind: 'read';
      readonly ranges: readonly Range[];
      readonly negated: boolean;
      readonly to: number;
    }
  | { readonly kind: 'fork'; readonly to: number[] }
  | { readonly kind: 'begin' | 'end'; readonly to: number }
  | { readonly kind: 'done' };

const mostStates = 20_000;

export class Automaton {
  readonly #states: State[] = [{ kind: 'done' }];
  readonly #start: number;

  constructor(pattern: Node) {
    this.#start = this.#build(pattern, 0);
  }

  /** Roughly what RE2's program for it would count; a class of almost all characters is long in UTF-8. */
  get size(): number {
    return this.#states.reduce((sum, state) => {
      if (state.kind !== 'read') return sum + 1;
      return sum + (state.negated ? 16 : state.ranges.length);
    }, 0);
  }

  /** Whether the whole text matches. */
  matches(text: string): boolean {
    const codes = [...text].map((char) => char.codePointAt(0)!);
    let here = new Set<number>();
    this.#reach(this.#start, 0, codes.length, here);
    for (let at = 0; at < codes.length && here.size > 0; at++) {
      const next = new Set<number>();
      for (const index of here) {
        const state = this.#states[index]!;
        if (state.kind === 'read' && reads(state, codes[at]!))
          this.#reach(state.to, at + 1, codes.length, next);
      }
      here = next;
    }
    return here.has(0);
  }

  /** All states that can be reached without reading. */
  #reach(from: number, at: number, length: number, into: Set<number>): void {
    const waiting = [from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (into.has(index)) continue;
      into.add(index);
      const state = this.#states[index]!;
      if (state.kind === 'fork') waiting.push(...state.to);
      else if (state.kind === 'begin' && at === 0) waiting.push(state.to);
      else if (state.kind === 'end' && at === length) waiting.push(state.to);
    }
  }

  #add(state: State): number {
    if (this.#states.length >= mostStates) throw new RegexFault(`more than ${mostStates} states`, true);
    return this.#states.push(state) - 1;
  }

  #build(node: Node, to: number): number {
    switch (node.kind) {
      case 'set':
        return this.#add({ kind: 'read', ranges: node.ranges, negated: node.negated, to });
      case 'begin':
      case 'end':
        return this.#add({ kind: node.kind, to });
      case 'choice':
        return this.#add({ kind: 'fork', to: node.parts.map((part) => this.#build(part, to)) });
      case 'sequence':
        return node.parts.reduceRight((next, part) => this.#build(part, next), to);
      case 'repeat':
        return this.#repeat(node.part, node.least, node.most, to);
    }
  }

  #repeat(part: Node, least: number, most: number, to: number): number {
    let start = to;
    if (most === Number.POSITIVE_INFINITY) {
      const exits: number[] = [to];
      start = this.#add({ kind: 'fork', to: exits });
      exits.push(this.#build(part, start));
    } else {
      for (let i = least; i < most; i++)
        start = this.#add({ kind: 'fork', to: [to, this.#build(part, start)] });
    }
    for (let i = 0; i < least; i++) start = this.#build(part, start);
    return start;
  }
}

function reads({ ranges, negated }: { ranges: readonly Range[]; negated: boolean }, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last) !== negated;
}
