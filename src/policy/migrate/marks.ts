import { Bits } from './bits.ts';
import type { Clients, TrustDomain } from './clients.ts';
import type { Ground } from './ground.ts';

/**
 * Where an ID can stand: the three lists of a permission, and the two of a second one that is labelled so that it is
 * never enforced, for what is to hold in the shadow world alone.
 */
const lists = ['deny', 'allowWithShadowDeny', 'allow', 'shadowDeny', 'shadowAllow'] as const;
export type List = (typeof lists)[number];

/** What the lists of some policies come to together. */
export interface Sum {
  readonly allowed: Bits;
  readonly denied: Bits;
  readonly shadowAllowed: Bits;
  readonly shadowDenied: Bits;
}

const effects: Readonly<Record<List, readonly (keyof Sum)[]>> = {
  deny: ['denied', 'shadowDenied'],
  allowWithShadowDeny: ['allowed', 'shadowDenied'],
  allow: ['allowed', 'shadowAllowed'],
  shadowDeny: ['shadowDenied'],
  shadowAllow: ['shadowAllowed'],
};

/** The lists of every policy, and their sums by scope. */
export class Marks {
  readonly #ground: Ground;
  readonly #size: number;
  readonly #domains: ReadonlyMap<number, TrustDomain>;
  readonly #marks: Map<List, Bits>[];
  #sums: Sum[];

  constructor(ground: Ground, { ids, trustDomains }: Clients) {
    this.#ground = ground;
    this.#size = ids.length;
    this.#domains = new Map(trustDomains.map((domain) => [domain.rest, domain]));
    this.#marks = ground.policies.map(() => new Map());
    this.#sums = ground.scopes.map(() => this.#nothing());
  }

  add(policy: number, list: List, id: number): void {
    const own = this.#marks[policy]!;
    let bits = own.get(list);
    if (bits === undefined) {
      bits = new Bits(this.#size);
      own.set(list, bits);
    }
    bits.add(id);
    this.#count(policy, list, id);
  }

  of(policy: number, list: List): Iterable<number> {
    return this.#marks[policy]!.get(list) ?? [];
  }

  has(policy: number, list: List, id: number): boolean {
    return this.#marks[policy]!.get(list)?.has(id) === true;
  }

  isEmpty(policy: number): boolean {
    return this.#marks[policy]!.size === 0;
  }

  /** What the policies of a group's scopes say together. */
  sum(group: number): Sum {
    const sum = this.#nothing();
    for (const scope of this.#ground.groups[group]!.scopes)
      for (const key of Object.keys(sum) as (keyof Sum)[]) sum[key].or(this.#sums[scope]![key]);
    return sum;
  }

  /** From now on only these policies count. */
  keep(isKept: (policy: number) => boolean): void {
    this.#sums = this.#ground.scopes.map(() => this.#nothing());
    for (const [policy, own] of this.#marks.entries())
      if (isKept(policy))
        for (const [list, bits] of own) for (const id of bits) this.#count(policy, list, id);
  }

  /** The rest of a trust domain is written as a prefix, which holds for everybody in it. */
  #count(policy: number, list: List, id: number): void {
    const sum = this.#sums[this.#ground.policies[policy]!.scope]!;
    for (const key of effects[list]) {
      sum[key].add(id);
      for (const member of this.#domains.get(id)?.members ?? []) sum[key].add(member);
    }
  }

  #nothing(): Sum {
    const size = this.#size;
    return {
      allowed: new Bits(size),
      denied: new Bits(size),
      shadowAllowed: new Bits(size),
      shadowDenied: new Bits(size),
    };
  }
}
