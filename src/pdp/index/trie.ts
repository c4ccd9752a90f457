import type { Ascii } from '../model/ascii.ts';

/**
 * A compressed prefix trie over code units that answers, in one walk, which of the patterns `prefix` and `under`
 * hold for a value. Plain prefixes and whole-segment prefixes live in the same nodes: a `prefix` symbol holds as
 * soon as its node is reached, an `under` symbol only if the value ends there or goes on with `/`.
 */
export interface Trie {
  /** Per node, `stride` numbers; see the constants below. */
  readonly nodes: Int32Array;
  readonly units: Uint16Array;
  /** The same of ASCII; what is none is no byte that ASCII has. */
  readonly bytes: DataView;
}

// Two nodes in a line of memory.
const stride = 8;
const LABEL = 0; // of what comes after the first unit
const LENGTH = 1; // with the first unit
const CHILDREN = 2; // first child; children of a node are neighbours, in order of their first unit
const COUNT = 3;
const PREFIX = 4; // symbol or -1
const UNDER = 5;
const FIRST = 6; // first unit: here, so that looking for a child reads nothing else
const LOWEST = 7; // first unit of the first child

interface Draft {
  label: string;
  children: Draft[];
  prefix: number;
  under: number;
}

export interface TriePattern {
  readonly text: string;
  readonly under: boolean;
  readonly symbol: number;
}

function insert(root: Draft, pattern: TriePattern): void {
  let node = root;
  let rest = pattern.text;
  while (rest !== '') {
    const first = rest.charCodeAt(0);
    const at = node.children.findIndex((child) => child.label.charCodeAt(0) === first);
    const child = node.children[at];
    if (child === undefined) {
      const leaf = { label: rest, children: [], prefix: -1, under: -1 };
      node.children.push(leaf);
      node = leaf;
      break;
    }
    let same = 1;
    while (same < child.label.length && same < rest.length && child.label[same] === rest[same]) same++;
    if (same < child.label.length) {
      const upper = { label: child.label.slice(0, same), children: [child], prefix: -1, under: -1 };
      child.label = child.label.slice(same);
      node.children[at] = upper;
      node = upper;
    } else {
      node = child;
    }
    rest = rest.slice(same);
  }
  if (pattern.under) node.under = pattern.symbol;
  else node.prefix = pattern.symbol;
}

/** Builds one trie for each list of patterns, all into shared arrays. */
export class TrieBuilder {
  readonly #nodes: number[] = [];
  readonly #labels: string[] = [];
  #units = 0;

  /** The root's index, and how many nodes the longest way down has. */
  add(patterns: readonly TriePattern[]): { root: number; depth: number } {
    const root: Draft = { label: '', children: [], prefix: -1, under: -1 };
    for (const pattern of patterns) insert(root, pattern);
    const rootIndex = this.#reserve(1);
    const open: [Draft, number, number][] = [[root, rootIndex, 1]];
    let depth = 1;
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [draft, index, level] = next;
      depth = Math.max(depth, level);
      draft.children.sort((a, b) => a.label.charCodeAt(0) - b.label.charCodeAt(0));
      const first = this.#reserve(draft.children.length);
      const at = index * stride;
      this.#nodes[at + LABEL] = this.#units;
      this.#nodes[at + LENGTH] = draft.label.length;
      this.#nodes[at + CHILDREN] = first;
      this.#nodes[at + COUNT] = draft.children.length;
      this.#nodes[at + PREFIX] = draft.prefix;
      this.#nodes[at + UNDER] = draft.under;
      this.#nodes[at + LOWEST] = draft.children[0]?.label.charCodeAt(0) ?? -1;
      this.#nodes[at + FIRST] = draft.label === '' ? -1 : draft.label.charCodeAt(0);
      this.#labels.push(draft.label.slice(1));
      this.#units += Math.max(0, draft.label.length - 1);
      draft.children.forEach((child, i) => {
        open.push([child, first + i, level + 1]);
      });
    }
    return { root: rootIndex, depth };
  }

  #reserve(count: number): number {
    const index = this.#nodes.length / stride;
    for (let i = 0; i < count * stride; i++) this.#nodes.push(0);
    return index;
  }

  build(): Trie {
    const units = new Uint16Array(this.#units);
    let at = 0;
    for (const label of this.#labels) {
      for (let k = 0; k < label.length; k++) units[at++] = label.charCodeAt(k);
    }
    const bytes = Uint8Array.from(units, (unit) => Math.min(unit, 0xff));
    return { nodes: Int32Array.from(this.#nodes), units, bytes: new DataView(bytes.buffer) };
  }
}

/** Where a walk writes the symbols that hold, shortest pattern first. */
export interface SymbolSink {
  codes: Int32Array;
  end: number;
  /** Trie nodes visited since the counter was last set to zero. */
  visited: number;
}

const SLASH = 47;
/** Stands for the unit after the last. */
const END = -1;

export function matchTrie(trie: Trie, root: number, value: string, sink: SymbolSink): void {
  const { nodes, units } = trie;
  const length = value.length;
  let at = root * stride;
  let position = 0;
  for (;;) {
    const next = position < length ? value.charCodeAt(position) : END;
    hold(nodes, at, next, sink);
    const child = childOf(nodes, at, next);
    if (child < 0) return;
    const size = nodes[child + LENGTH] as number;
    if (position + size > length) return;
    const label = (nodes[child + LABEL] as number) - 1;
    for (let k = 1; k < size; k++) {
      if (units[label + k] !== value.charCodeAt(position + k)) return;
    }
    position += size;
    at = child;
  }
}

/** The same of a text of ASCII, of which four bytes are compared at once; how much of it stands in the trie, at least. */
export function matchAscii(
  { nodes, bytes: labels }: Trie,
  root: number,
  { bytes, view, length }: Ascii,
  sink: SymbolSink,
): number {
  let at = root * stride;
  let position = 0;
  for (;;) {
    const next = position < length ? (bytes[position] as number) : END;
    hold(nodes, at, next, sink);
    const child = childOf(nodes, at, next);
    if (child < 0) return position;
    const end = position + (nodes[child + LENGTH] as number);
    if (end > length) return position;
    const label = (nodes[child + LABEL] as number) - ++position;
    for (; position + 4 <= end; position += 4) {
      if (labels.getInt32(label + position, true) !== view.getInt32(position, true)) return position;
    }
    for (; position < end; position++) {
      if (labels.getUint8(label + position) !== bytes[position]) return position;
    }
    at = child;
  }
}

/** Writes what holds for a value that leads to a node and goes on with a unit. */
function hold(nodes: Int32Array, at: number, next: number, sink: SymbolSink): void {
  sink.visited++;
  const prefix = nodes[at + PREFIX] as number;
  if (prefix >= 0) sink.codes[sink.end++] = prefix;
  const under = nodes[at + UNDER] as number;
  if (under >= 0 && (next === SLASH || next === END)) sink.codes[sink.end++] = under;
}

function childOf(nodes: Int32Array, at: number, unit: number): number {
  const first = nodes[at + CHILDREN] as number;
  const count = nodes[at + COUNT] as number;
  if (count === 0) return -1;
  // Digits and letters come in rows without gaps: then the first guess is right.
  const guess = unit - (nodes[at + LOWEST] as number);
  if (guess < 0) return -1;
  if (guess < count && nodes[(first + guess) * stride + FIRST] === unit) return (first + guess) * stride;
  let low = first;
  let high = first + Math.min(guess, count - 1);
  while (low <= high) {
    const middle = (low + high) >> 1;
    const one = nodes[middle * stride + FIRST] as number;
    if (one === unit) return middle * stride;
    if (one < unit) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
