/**
 * The part of RE2's syntax that is evaluated here, as a tree. Where a pattern means something else, or nothing, to
 * RE2, it throws; nothing is passed on to another engine, since no other has quite its rules.
 */

export type Node =
  | { readonly kind: 'set'; readonly ranges: readonly Range[]; readonly negated: boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number }
  | { readonly kind: 'begin' | 'end' };

export type Range = readonly [first: number, last: number];

export class RegexFault extends Error {
  /** False where RE2 itself refuses the pattern, true where only we do. */
  readonly ours: boolean;

  constructor(message: string, ours: boolean) {
    super(message);
    this.ours = ours;
  }
}

const classes: Readonly<Record<string, readonly Range[]>> = {
  d: [[0x30, 0x39]],
  s: [
    [0x09, 0x0a],
    [0x0c, 0x0d],
    [0x20, 0x20],
  ],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
};
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };
const lastCode = 0x10ffff;
/** RE2's own bound, also for repeats inside repeats. */
const mostRepeats = 1_000;
const deepest = 200;

export function parseRegex(pattern: string): Node {
  const parser = new Parser(pattern);
  return parser.all();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new RegexFault(`unexpected ) at offset ${this.#at}`, false);
    return node;
  }

  #choice(): Node {
    if (++this.#depth > deepest) throw new RegexFault(`groups nested deeper than ${deepest}`, true);
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    this.#depth--;
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let next = this.#next(); next !== '' && next !== '|' && next !== ')'; next = this.#next()) {
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: Node): Node {
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    if (part.kind === 'begin' || part.kind === 'end') throw new RegexFault('a repeated anchor', true);
    const [least, most, counted] = bounds;
    // Lazy or not is the same to a match of the whole text.
    this.#take('?');
    if (this.#bounds() !== undefined) throw new RegexFault('two repetitions in a row', false);
    const node: Node = { kind: 'repeat', part, least, most };
    if (counted && (least > 1 || most > 1) && room(node, mostRepeats) === 0) {
      throw new RegexFault(`repeated more than ${mostRepeats} times`, false);
    }
    return node;
  }

  #bounds(): readonly [least: number, most: number, counted: boolean] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY, false];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY, false];
    if (this.#take('?')) return [0, 1, false];
    if (this.#next() !== '{') return undefined;
    const found = /^\{(\d{1,6})(,(\d{0,6}))?\}/.exec(this.#text.slice(this.#at, this.#at + 16));
    if (found === null) throw new RegexFault(`{ that counts nothing, at offset ${this.#at}`, true);
    this.#at += found[0].length;
    const least = Number(found[1]);
    let most = least;
    if (found[2] !== undefined) most = found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    if (most < least || least > mostRepeats || (most > mostRepeats && most !== Number.POSITIVE_INFINITY)) {
      throw new RegexFault(`bad repetition ${found[0]}`, false);
    }
    return [least, most, true];
  }

  #atom(): Node {
    const char = this.#char();
    if (char === '(') return this.#group();
    if (char === '[') return this.#set();
    if (char === '.') return { kind: 'set', ranges: [[0x0a, 0x0a]], negated: true };
    if (char === '^') return { kind: 'begin' };
    if (char === '$') return { kind: 'end' };
    if (char === '*' || char === '+' || char === '?') {
      throw new RegexFault(`${char} that repeats nothing, at offset ${this.#at - 1}`, false);
    }
    if (char === '{') throw new RegexFault(`{ that counts nothing, at offset ${this.#at - 1}`, true);
    if (char === '\\') return this.#escape();
    return literal(char.codePointAt(0)!);
  }

  #group(): Node {
    if (this.#take('?') && !this.#take(':')) throw new RegexFault('(? other than (?:', true);
    const node = this.#choice();
    if (!this.#take(')')) throw new RegexFault('a group without )', false);
    return node;
  }

  #escape(): Node {
    const at = this.#at;
    const char = this.#char();
    const ranges = own(classes, char.toLowerCase());
    if (ranges) return { kind: 'set', ranges, negated: char !== char.toLowerCase() };
    if (char === 'A') return { kind: 'begin' };
    if (char === 'z') return { kind: 'end' };
    return literal(this.#escaped(char, at));
  }

  #escaped(char: string, at: number): number {
    if (char === '') throw new RegexFault('a \\ at the end', false);
    if (/^[!-/:-@[-`{-~]$/.test(char)) return char.charCodeAt(0);
    const control = own(controls, char);
    if (control !== undefined) return control;
    throw new RegexFault(`\\${char} at offset ${at - 1}`, true);
  }

  #set(): Node {
    const negated = this.#take('^');
    const ranges: Range[] = [];
    for (let first = true; first || this.#next() !== ']'; first = false) {
      if (this.#next() === '') throw new RegexFault('a class without ]', false);
      if (this.#text.startsWith('[:', this.#at)) throw new RegexFault('[: inside a class', true);
      const member = this.#member();
      if (typeof member !== 'number') {
        ranges.push(...member);
        continue;
      }
      let last = member;
      if (this.#next() === '-' && this.#text[this.#at + 1] !== ']' && this.#at + 1 < this.#text.length) {
        this.#at++;
        const end = this.#member();
        if (typeof end !== 'number' || end < member) throw new RegexFault('a bad range in a class', false);
        last = end;
      }
      ranges.push([member, last]);
    }
    this.#at++;
    return { kind: 'set', ranges, negated };
  }

  #member(): number | readonly Range[] {
    const at = this.#at;
    const char = this.#char();
    if (char !== '\\') return char.codePointAt(0)!;
    const escaped = this.#char();
    const ranges = own(classes, escaped.toLowerCase());
    if (ranges === undefined) return this.#escaped(escaped, at);
    return escaped === escaped.toLowerCase() ? ranges : complement(ranges);
  }

  #next(): string {
    return this.#text[this.#at] ?? '';
  }

  #char(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return '';
    const char = String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }

  #take(char: string): boolean {
    if (this.#next() !== char) return false;
    this.#at++;
    return true;
  }
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function literal(code: number): Node {
  return { kind: 'set', ranges: [[code, code]], negated: false };
}

function complement(ranges: readonly Range[]): Range[] {
  const others: Range[] = [];
  let from = 0;
  for (const [first, last] of ranges) {
    if (first > from) others.push([from, first - 1]);
    from = last + 1;
  }
  others.push([from, lastCode]);
  return others;
}

/** What is left of a bound once counted repeats inside each other have shared it; 0 if they exceed it. */
function room(node: Node, left: number): number {
  if (node.kind === 'sequence' || node.kind === 'choice') {
    return Math.min(left, ...node.parts.map((part) => room(part, left)));
  }
  if (node.kind !== 'repeat') return left;
  const times = node.most === Number.POSITIVE_INFINITY ? node.least : node.most;
  return room(node.part, times > 0 ? Math.floor(left / times) : left);
}
