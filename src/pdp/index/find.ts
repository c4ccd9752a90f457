import { trustRank } from '../model/trust.ts';
import type { Found, Target } from '../targets.ts';
import type { Attached } from './attach.ts';
import { attributeStride, EntryRow, entryStride } from './compile.ts';
import { worldsOf } from './entries.ts';
import { groupStride, hashGroup, Row } from './groups.ts';
import { type Reading, State, Truth } from './reading.ts';
import { isOwnKey } from './vocabulary.ts';

/** Finds groups by one look-up per signature. What it finds for a target of the inventory it keeps. */
export class GroupFinder {
  readonly #attached: Attached;
  readonly #reading: Reading;
  readonly #scratch: Found = { groups: new Int32Array(64), allows: new Uint8Array(64), count: 0, reads: 0 };
  readonly #key: Int32Array;
  readonly #gate: number;
  readonly #own: readonly boolean[];

  constructor(attached: Attached, reading: Reading) {
    this.#attached = attached;
    this.#reading = reading;
    this.#own = attached.keys.map(isOwnKey);
    this.#gate = Math.min(attached.compiled.siteFloor, trustRank.configured);
    let longest = 0;
    const { signatures } = attached.compiled.groups;
    for (let at = 2; at < signatures.length; at += 3) longest = Math.max(longest, signatures[at] as number);
    this.#key = new Int32Array(longest);
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
    const { signatures, signatureAttributes, unknown } = this.#attached.compiled.groups;
    let someUnknown = false;
    for (let id = 0; id * 3 < signatures.length; id++) {
      const mesh = signatures[id * 3] === 1;
      if (mesh && !target.inbound) continue;
      const first = signatures[id * 3 + 1] as number;
      const count = signatures[id * 3 + 2] as number;
      let allows = mesh || target.full ? 1 : 0;
      let miss = false;
      for (let i = 0; i < count; i++) {
        const attribute = signatureAttributes[first + i] as number;
        const state = this.#reading.state(attribute);
        if (state === State.unknown && !mesh) someUnknown = true;
        const symbol = this.#reading.exact(attribute);
        if (state !== State.known || symbol < 0) miss = true;
        else if (!this.#own[attribute] && this.#reading.trust(attribute) < this.#gate) allows = 0;
        this.#key[i] = symbol;
      }
      if (!miss) this.#collect(found, id, count, allows);
    }
    if (someUnknown && unknown >= 0) this.#add(found, unknown, 0);
    return found;
  }

  #collect(found: Found, signature: number, count: number, allows: number): void {
    const { table, symbols } = this.#attached.compiled.groups;
    const mask = table.length / groupStride - 1;
    let row = hashGroup(signature, this.#key, 0, count) & mask;
    for (; table[row * groupStride + Row.id] !== -1; row = (row + 1) & mask) {
      const at = row * groupStride;
      if (table[at + Row.signature] !== signature) continue;
      let same = count === 0 || table[at + Row.symbol] === this.#key[0];
      const first = table[at + Row.symbols] as number;
      for (let i = 1; i < count && same; i++) same = symbols[first + i] === this.#key[i];
      // Groups of one key differ by their list, so the look-up goes on.
      if (same) this.#add(found, row, allows);
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
    const { table, pathEntries } = this.#attached.compiled.groups;
    const first = table[group * groupStride + Row.paths] as number;
    if (first < 0) return;
    const end = first + 1 + (pathEntries[first] as number);
    for (let i = first + 1; i < end && found.reads !== 3; i++) {
      const entry = pathEntries[i] as number;
      const worlds = worldsOf(
        this.#attached.compiled.entries[entry * entryStride + EntryRow.scope] as number,
      );
      if ((found.reads | worlds) !== found.reads && this.#governs(entry)) found.reads |= worlds;
    }
  }

  /** Whether no destination condition of an entry is known to be false. */
  #governs(entry: number): boolean {
    const { entries, entryConditions, conditions, attributes } = this.#attached.compiled;
    const first = entries[entry * entryStride + EntryRow.conditions] as number;
    const end = first + (entries[entry * entryStride + EntryRow.count] as number);
    for (let i = first; i < end; i++) {
      const condition = entryConditions[i] as number;
      const attribute = this.#reading.attributeOf(conditions.table[condition * 4] as number);
      if (attributes[attribute * attributeStride + 2] !== 1) continue;
      if (this.#reading.truth(condition) === Truth.no) return false;
    }
    return true;
  }
}
