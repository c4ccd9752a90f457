import type { Attached } from './attach.ts';
import { Cell, cellStride, Mark } from './cells.ts';
import { noCode } from './fingerprint.ts';
import { Given, type Sources } from './given.ts';
import type { StringTable } from './strings.ts';
import type { WrittenAttributes } from './written.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { open: openMark, written: writtenMark } = Mark;
const stride = cellStride;
const cell = Cell;
const none = noCode;

/** Fingerprints that were found equal to others, and the texts that they are of. */
export class Settled extends Given {
  /** Per attribute that has any. */
  protected readonly exactValues: Attached['exact'];
  readonly #strings: StringTable;
  readonly #meant: Attached['texts'];

  constructor(attached: Attached, sources: Sources) {
    super(attached, sources);
    this.exactValues = attached.exact;
    this.#strings = attached.compiled.strings;
    this.#meant = attached.texts;
  }

  /**
   * Compares the text behind a fingerprint that was found equal with the one that was meant; false if it is another.
   * Comparisons before found it different from what they asked for, which holds for its text all the more.
   */
  settle(attribute: number, text: number): boolean {
    const at = attribute * stride;
    const cells = this.cells;
    const marks = cells[at + cell.marks] as number;
    if ((marks & openMark) === 0) return true;
    if (this.#isText(attribute, text, (marks & writtenMark) !== 0)) {
      cells[at + cell.marks] = marks & ~openMark;
      return true;
    }
    this.#close(attribute, none);
    return false;
  }

  #isText(attribute: number, text: number, written: boolean): boolean {
    if (!written) return this.#meant.is(text, this.texts[attribute] as string);
    const stated = this.written(attribute) as WrittenAttributes;
    return stated.isText(stated.find(attribute), this.#strings, text);
  }

  /** The same before anything was found: from here on all codes, from `start` to `stop`, are those of their texts. */
  settleAll(attribute: number): void {
    if (!this.marked(attribute, openMark)) return;
    const text = this.marked(attribute, writtenMark)
      ? this.given(attribute, this.wayTo(attribute))
      : this.texts[attribute];
    this.#close(attribute, this.exactValues[attribute]?.get(text as string) ?? none);
  }

  #close(attribute: number, code: number): void {
    this.unmark(attribute, openMark);
    this.cells[attribute * stride + cell.exact] = code;
    if (!this.isSingle(attribute)) this.codes[this.start(attribute)] = code;
  }
}
