import { identityKeys } from '../pdp/model/identity-keys.ts';
import { pushTo } from '../pdp/model/lists.ts';
import type { CompletePrefixes } from '../pdp/model/request.ts';
import { keys } from '../pdp/model/rule.ts';
import type { TagIdentity } from '../pdp/model/tag-certificate.ts';
import { stronger, type Trust, trustRank } from '../pdp/model/trust.ts';

/** A value of a key, and why it is believed. */
export interface Seen {
  readonly key: string;
  /** Not given: nobody can tell. */
  readonly value?: string;
  /** Who shares the identity and differs in it. */
  readonly pods?: readonly string[];
  readonly trust: Trust;
  /** In words. */
  readonly source: string;
  readonly since?: number;
}

/** Who asks, with everything that says so. */
export interface Identified {
  readonly spiffeId?: string;
  readonly tags?: TagIdentity;
  /** One a key, in the order of keys. */
  readonly values: readonly Seen[];
  /** What was said too, and does not count. */
  readonly outranked: readonly Seen[];
  readonly complete: CompletePrefixes;
  /** Identity keys of which two sources say different things: the request is denied. */
  readonly conflicts: readonly { readonly key: string; readonly values: readonly Seen[] }[];
}

/** What sources say, one after the other from the strongest to the weakest, until it is put together. */
export class Findings {
  readonly #byKey = new Map<string, Seen[]>();
  readonly #complete = new Map<string, Trust>();
  readonly #byUid = new Map<string, Seen>();

  add(seen: Seen): void {
    pushTo(this.#byKey, seen.key, seen);
  }

  /** What a name does not tell: a pod that was made anew has that of the one before it. */
  pod(uid: string, { value, ...seen }: Seen): void {
    if (!this.#byUid.has(uid)) this.#byUid.set(uid, { ...seen, value: `${value} (UID ${uid})` });
  }

  complete(prefix: string, trust: Trust): void {
    const known = this.#complete.get(prefix);
    this.#complete.set(prefix, known === undefined ? trust : stronger(known, trust));
  }

  result(): Pick<Identified, 'values' | 'outranked' | 'complete' | 'conflicts'> {
    const values: Seen[] = [];
    const outranked: Seen[] = [];
    const conflicts: { key: string; values: readonly Seen[] }[] = [];
    for (const key of [...this.#byKey.keys()].sort()) {
      const all = this.#byKey.get(key) as Seen[];
      if (all.length === 1) {
        values.push(all[0] as Seen);
        continue;
      }
      // The first of the best.
      const [best, ...rest] = all.toSorted((a, b) => trustRank[b.trust] - trustRank[a.trust]);
      values.push(best as Seen);
      outranked.push(...rest);
      const said = new Set(all.flatMap(({ value }) => value ?? []));
      if (identityKeys.has(key) && said.size > 1) conflicts.push({ key, values: all });
      else if (key === keys.k8sPod && this.#byUid.size > 1)
        conflicts.push({ key, values: [...this.#byUid.values()] });
    }
    return { values, outranked, complete: Object.fromEntries(this.#complete), conflicts };
  }
}
