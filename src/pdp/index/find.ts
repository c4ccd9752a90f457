import { isOwnKey } from '../model/rule.ts';
import type { Found, Target } from '../targets.ts';
import type { Attached } from './attach.ts';
import { State } from './cells.ts';
import { askedAt, worldsOf } from './entries.ts';
import { GroupRow, type Groups, groupStride, rowOf, Value } from './groups.ts';
import type { Reading } from './reading.ts';
import { Truth, type Truths } from './truths.ts';
import { gateOf, sideCodes } from './vocabulary.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { known, unknown } = State;
const stride = groupStride;
const { next: nextCell, paths: pathsCell } = GroupRow;
const { text: textCell, groups: groupsCell } = Value;

/** Finds groups by one look-up per attribute that rules are filed under. What it finds for a target of the inventory it keeps. */
export class GroupFinder {
  readonly #attached: Attached;
  readonly #reading: Reading;
  readonly #truths: Truths;
  readonly #scratch: Found = { groups: new Int32Array(64), allows: new Uint8Array(64), count: 0, reads: 0 };
  /** Per attribute: the trust that a destination's value needs for allows filed under it to count. */
  readonly #gates: Int32Array;
  readonly #attributes: Groups['filed'];
  readonly #byValue: Int32Array;
  readonly #everywhere: Groups['everywhere'];
  readonly #table: Int32Array;
  readonly #unknown: number;
  readonly #unknownTags: number;

  constructor(attached: Attached, reading: Reading, truths: Truths) {
    const { groups, siteFloor } = attached.compiled;
    this.#attached = attached;
    this.#reading = reading;
    this.#truths = truths;
    const side = sideCodes.destination;
    this.#gates = Int32Array.from(attached.keys, (key) => gateOf(side, isOwnKey(key), siteFloor));
    this.#attributes = groups.filed;
    this.#byValue = groups.byValue;
    this.#everywhere = groups.everywhere;
    this.#table = groups.table;
    this.#unknown = groups.unknown;
    this.#unknownTags = groups.unknownTags;
  }

  find(target: Target, keep: boolean): Found {
    if (!keep) return this.#look(target);
    let { found } = target;
    if (found === undefined) {
      const { groups, allows, count, reads } = this.#look(target);
      found = { groups: groups.slice(0, count), allows: allows.slice(0, count), count, reads };
      target.found = found;
    }
    return found;
  }

  #look(target: Target): Found {
    const found = this.#scratch;
    found.count = 0;
    found.reads = 0;
    if (target.inbound) {
      this.#chain(found, this.#everywhere[0], 1);
      if (this.#filed(found, 0, 1)) this.#chain(found, this.#unknownTags, 0);
    }
    const allows = target.full ? 1 : 0;
    this.#chain(found, this.#everywhere[1], allows);
    const someUnknown = this.#filed(found, 1, allows);
    if (someUnknown && this.#unknown >= 0) this.#add(found, this.#unknown, 0);
    return found;
  }

  /** One look-up per attribute that rules are filed under; true if the value of one of them is unknown. */
  #filed(found: Found, kind: 0 | 1, allows: number): boolean {
    const attributes = this.#attributes[kind];
    const reading = this.#reading;
    let someUnknown = false;
    for (let i = 0; i < attributes.length; i++) {
      const attribute = attributes[i] as number;
      const state = reading.state(attribute);
      if (state === known) {
        const group = this.#ofValue(attribute, kind);
        if (group < 0) continue;
        const trusted = reading.trust(attribute) >= (this.#gates[attribute] as number);
        this.#chain(found, group, trusted ? allows : 0);
      } else if (state === unknown) someUnknown = true;
    }
    return someUnknown;
  }

  /** The first group of the value of an attribute, or -1. */
  #ofValue(attribute: number, kind: 0 | 1): number {
    const reading = this.#reading;
    const rows = this.#byValue;
    const at = rowOf(rows, attribute, reading.exact(attribute));
    if (rows[at] === -1 || !reading.settle(attribute, rows[at + textCell] as number)) return -1;
    return rows[at + groupsCell + kind] as number;
  }

  #chain(found: Found, first: number, allows: number): void {
    for (let group = first; group >= 0; group = this.#table[group * stride + nextCell] as number) {
      this.#add(found, group, allows);
    }
  }

  #add(found: Found, group: number, allows: number): void {
    if (found.count === found.groups.length) {
      const wider = new Int32Array(found.count * 2);
      wider.set(found.groups);
      found.groups = wider;
      const more = new Uint8Array(found.count * 2);
      more.set(found.allows);
      found.allows = more;
    }
    found.groups[found.count] = group;
    found.allows[found.count++] = allows;
    const first = this.#table[group * stride + pathsCell] as number;
    if (first < 0) return;
    const { pathEntries } = this.#attached.compiled.groups;
    const end = first + 1 + (pathEntries[first] as number);
    for (let i = first + 1; i < end && found.reads !== 3; i++) {
      const entry = pathEntries[i] as number;
      const worlds = worldsOf(this.#attached.compiled.entries.scopes[entry] as number);
      if ((found.reads | worlds) !== found.reads && this.#governs(entry)) found.reads |= worlds;
    }
  }

  /** Whether no destination condition of an entry is known to be false. */
  #governs(entry: number): boolean {
    const { entries } = this.#attached.compiled;
    const first = askedAt(entries, entry);
    const end = first + 1 + (entries.asked[first] as number);
    for (let i = first + 1; i < end; i++) {
      if (this.#truths.of(entries.asked[i] as number) === Truth.no) return false;
    }
    return true;
  }
}
