import { createHash } from 'node:crypto';
import type { Governed, Governing } from '../../pdp/governing.ts';
import { effectOf } from '../../pdp/model/rule.ts';
import { digestOf } from './digest.ts';
import type { SvidEvidence } from './svid.ts';
import type { FilterKind } from './types.ts';

/** Around the rules, as far as an inbound without routes goes. */
export interface Place {
  readonly mesh: string;
  /** The certificates carry tags. */
  readonly tags: boolean;
  readonly filter: FilterKind;
}

/**
 * What filters are made of, as digests: equal ones make equal filters, in whatever sets they are. Ranks are not in
 * them, which shift with every rule that comes or goes, but the order of the rules is.
 */
export class Contents {
  readonly #evidence: SvidEvidence;
  readonly #bySvid = new WeakMap<Governed, Buffer>();
  readonly #byTags = new WeakMap<Governed, Buffer>();

  constructor(evidence: SvidEvidence) {
    this.#evidence = evidence;
  }

  of(governing: Governing, { mesh, tags, filter }: Place): string {
    const { entries, inbound, protocol = null, readsPaths } = governing;
    const around = [mesh, tags, filter, inbound, protocol, readsPaths];
    const hash = createHash('sha256').update(digestOf(JSON.stringify(around)));
    const digests = entries.map((one) => this.#digest(one, tags));
    return hash.update(Buffer.concat(digests)).update(strengths(entries)).digest('base64');
  }

  #digest(governed: Governed, tags: boolean): Buffer {
    const known = tags ? this.#byTags : this.#bySvid;
    let digest = known.get(governed);
    if (digest === undefined) {
      digest = createHash('sha256').update(this.#text(governed, tags)).digest();
      known.set(governed, digest);
    }
    return digest;
  }

  #text({ tier, worlds, list, rule, when, open }: Governed, tags: boolean): string {
    const { kri, effect } = rule.origin;
    const unknown = open.map(({ key }) => key);
    const allows = effectOf(tier) === 'allow';
    // Of a certificate of tags the inventory says nothing.
    const asked = tags ? [] : when.filter(({ side }) => side === 'source');
    const read = asked.map((one) => this.#evidence.read(one, allows));
    return JSON.stringify([kri, effect, tier, worlds, list?.id ?? null, when, unknown, read]);
  }
}

/** In ordered lists the order of strengths counts, which shift too. */
function strengths(entries: readonly Governed[]): Uint8Array {
  const orders = new Map<string, number[]>();
  for (const { list } of entries) {
    if (list === undefined) continue;
    const order = orders.get(list.id);
    if (order === undefined) orders.set(list.id, [list.strength]);
    else order.push(list.strength);
  }
  if (orders.size === 0) return new Uint8Array();
  const places = new Map(
    [...orders].map(([id, order]) => {
      const sorted = [...new Set(order)].sort((a, b) => a - b);
      return [id, new Map(sorted.map((strength, place) => [strength, place]))] as const;
    }),
  );
  const found = entries.map(({ list }) =>
    list === undefined ? -1 : places.get(list.id)?.get(list.strength),
  );
  return new Uint8Array(Int32Array.from(found as number[]).buffer);
}
