import { limits } from '../../pdp/model/limits.ts';
import { isForbiddenKey, stringFault } from './characters.ts';
import { duplicateKey, forbiddenKey, losesDigits, unreadableNumber } from './faults.ts';
import type { Findings } from './finding.ts';
import { Stop } from './finding.ts';
import { closingQuote, skipSpace } from './json-scan.ts';

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[A-Za-z_$][\w$]*/y;

/** The slow reader: walks a JSON text, value by value, and says what is wrong with it and where. */
export function findJsonFaults(text: string, start: number, end: number, findings: Findings): void {
  try {
    new JsonReader(text, start, end, findings).document();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    findings.cut = true;
  }
}

class JsonReader {
  #at: number;
  readonly #text: string;
  readonly #end: number;
  readonly #findings: Findings;
  readonly #path: (string | number)[] = [];

  constructor(text: string, start: number, end: number, findings: Findings) {
    this.#text = text;
    this.#at = start;
    this.#end = end;
    this.#findings = findings;
  }

  document(): void {
    this.#value();
    const next = this.#next();
    if (next === undefined) return;
    const hint = next === '{' || next === '[' ? 'write several documents as one array' : undefined;
    this.#fail(`${this.#got()} after the end of the document`, hint);
  }

  #value(): void {
    const first = this.#next();
    if (first === '{') this.#object();
    else if (first === '[') this.#array();
    else if (first === '"') {
      const offset = this.#at;
      this.#check(this.#string(), offset);
    } else this.#scalar();
  }

  #object(): void {
    const seen = new Map<string, number>();
    this.#enter();
    if (this.#next() === '}') this.#at++;
    else
      for (;;) {
        if (this.#next() !== '"') this.#fail(`expected a key in double quotes, got ${this.#got()}`);
        const offset = this.#at;
        const key = this.#string();
        this.#path.push(key);
        const first = seen.get(key);
        if (isForbiddenKey(key)) this.#findings.add(forbiddenKey([...this.#path], key, offset));
        else if (first !== undefined) this.#findings.add(duplicateKey([...this.#path], key, offset));
        else this.#checkKey(key, offset);
        seen.set(key, offset);
        if (this.#next() !== ':') this.#fail(`expected ":" after the key, got ${this.#got()}`);
        this.#at++;
        this.#value();
        this.#path.pop();
        if (this.#closes('}')) break;
      }
    this.#depth--;
  }

  #array(): void {
    this.#enter();
    if (this.#next() === ']') this.#at++;
    else
      for (let index = 0; ; index++) {
        this.#path.push(index);
        this.#value();
        this.#path.pop();
        if (this.#closes(']')) break;
      }
    this.#depth--;
  }

  #depth = 0;
  #enter(): void {
    if (++this.#depth > limits.nesting) {
      this.#findings.add({
        path: [...this.#path],
        code: 'limit',
        message: `nesting deeper than ${limits.nesting} levels`,
        offset: this.#at,
      });
      throw new Stop();
    }
    this.#at++;
  }

  #closes(bracket: ']' | '}'): boolean {
    const next = this.#next();
    if (next !== ',' && next !== bracket) this.#fail(`expected "," or "${bracket}", got ${this.#got()}`);
    this.#at++;
    if (next === bracket) return true;
    const after = this.#next();
    if (after === bracket) this.#fail(`"," before "${bracket}"`, 'remove the comma');
    return false;
  }

  /** The decoded string at the current offset, which is left behind it. */
  #string(): string {
    const open = this.#at;
    const close = closingQuote(this.#text, open, this.#end);
    if (close >= this.#end) this.#fail('string without a closing quote');
    const raw = this.#text.slice(open, close + 1);
    this.#at = close + 1;
    try {
      return JSON.parse(raw) as string;
    } catch {
      this.#at = open;
      const lineBreak = raw.search(/[\n\r\t]/);
      if (lineBreak !== -1) {
        this.#at += lineBreak;
        this.#fail('tab or line break in a string', 'write \\t or \\n, or close the quote');
      }
      return this.#fail('broken escape in a string', 'a backslash itself is written \\\\');
    }
  }

  #scalar(): void {
    const offset = this.#at;
    const digits = this.#match(number);
    if (digits !== undefined) {
      if (/[\w.+]/.test(this.#text[this.#at] ?? '')) this.#fail(`${this.#got()} in a number`);
      if (losesDigits(Number(digits))) this.#findings.add(unreadableNumber([...this.#path], digits, offset));
      return;
    }
    const name = this.#match(word);
    if (name === 'true' || name === 'false' || name === 'null') return;
    this.#at = offset;
    this.#fail(`expected a value, got ${this.#got()}`, name && 'strings are in double quotes');
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Said of the mapping: such a key is no field's name. */
  #checkKey(key: string, offset: number): void {
    const fault = stringFault(key);
    if (fault) this.#findings.add({ path: this.#path.slice(0, -1), ...fault, ofKey: true, offset });
  }

  #check(text: string, offset: number): void {
    const fault = stringFault(text);
    if (fault) this.#findings.add({ path: [...this.#path], ...fault, offset });
  }

  #next(): string | undefined {
    this.#at = skipSpace(this.#text, this.#at, this.#end);
    return this.#at < this.#end ? this.#text[this.#at] : undefined;
  }

  #got(): string {
    if (this.#at >= this.#end) return 'the end of the text';
    return JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at)!));
  }

  #fail(message: string, hint?: string): never {
    this.#findings.add({
      path: [...this.#path],
      code: 'syntax',
      message: `not json: ${message}`,
      offset: this.#at,
      ...(hint === undefined ? {} : { hint }),
    });
    throw new Stop();
  }
}
