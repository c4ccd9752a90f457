import { Cell, type Cells, cellStride, State } from './cells.ts';
import { noCode } from './fingerprint.ts';

/** A target of the inventory, with what was read of its values. */
export interface Keeper {
  cells: Int32Array | undefined;
}

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { known, maybe } = State;
const cell = Cell;
const none = noCode;

/** Of an attribute: its state and 1, or 0 for what was not read; its trust; its exact code. */
const stride = 3;
/** Attributes of which it is kept, since there may be many targets. */
const mostKept = 16;

/** Values of targets: what rules see of them is the same each time. */
export class KeptCells {
  /** Per attribute: where targets keep it, or -1. */
  readonly #places: Int32Array;
  readonly #size: number;

  constructor(isOfTarget: ArrayLike<boolean>) {
    let kept = 0;
    this.#places = Int32Array.from(isOfTarget, (is) => (is && kept < mostKept ? stride * kept++ : -1));
    this.#size = stride * kept;
  }

  has(attribute: number): boolean {
    return (this.#places[attribute] as number) >= 0;
  }

  /** False: it was not read before. */
  restore(attribute: number, { cells: kept }: Keeper, into: Cells): boolean {
    const place = this.#places[attribute] as number;
    if (kept === undefined || kept[place] === 0) return false;
    const state = (kept[place] as number) - 1;
    const trust = kept[place + 1] as number;
    const exact = kept[place + 2] as number;
    const at = attribute * cellStride;
    const { cells } = into;
    cells[at + cell.start] = into.end;
    cells[at + cell.marks] = 0;
    into.set(attribute, state, trust);
    if (exact !== none) into.exactly(attribute, exact);
    if (state === known) into.alone(attribute);
    cells[at + cell.end] = into.end;
    return true;
  }

  /** Of what has been read and settled. */
  keep(attribute: number, target: Keeper, from: Cells): void {
    const at = attribute * cellStride;
    const isSingle = from.isSingle(attribute);
    const state = isSingle ? known : (from.cells[at + cell.state] as number);
    // Of several values, and of those that patterns hold for, there is more to say.
    if (state === maybe || (state === known && !isSingle)) return;
    target.cells ??= new Int32Array(this.#size);
    const place = this.#places[attribute] as number;
    target.cells[place] = state + 1;
    target.cells[place + 1] = from.trust(attribute);
    target.cells[place + 2] = from.exact(attribute);
  }
}
