import { neverPresent } from '../model/aliases.ts';
import { holdsFor } from '../model/condition.ts';
import { type Fact, factsBySpiffeId, Templates } from '../model/facts.ts';
import { type AttributeRule, coversKey, type Inventory } from '../model/inventory.ts';
import { idsOfSite, isSiteKey } from '../model/of-site.ts';
import type { Channel, CompletePrefixes, RequestSource } from '../model/request.ts';
import { keys } from '../model/rule.ts';
import { SpiffeId } from '../model/spiffe-id.ts';
import { stronger, type Trust, weaker } from '../model/trust.ts';
import { type Anew, absent, better, known, type Seen, unknown } from './seen.ts';

const stated = 'stated in the request';
const workloads = 'workloads of the inventory';
const site = 'site';
/** [SRC6] Those that the inventory may tell, and all. */
const recordedKeys: readonly string[] = [keys.k8sNamespace, keys.k8sServiceAccount, keys.siteName];
const conflictKeys = [keys.spiffeId, keys.trustDomain, ...recordedKeys];

/** Who asks, as far as the request and the inventory tell (SPEC SRC1–SRC14). */
export class Source {
  /** [SRC1] Whether there is any evidence at all. */
  readonly identified: boolean;
  /** [SRC3] What is given as a SPIFFE ID and is none. */
  readonly invalid: string | undefined;
  readonly #statedTrust: Trust;
  readonly #given: RequestSource;
  readonly #channel: Channel;
  readonly #complete: boolean | CompletePrefixes;
  readonly #rules: readonly AttributeRule[];
  readonly #derived = new Map<string, Seen>();
  readonly #facts: ReadonlyMap<string, Fact> | undefined;
  /** Of the site that the ID is of. */
  readonly #site: ReadonlyMap<string, string> | undefined;

  constructor(given: RequestSource | undefined, inventory: Inventory, channel: Channel) {
    this.#given = given ?? {};
    this.#channel = channel;
    this.#complete = this.#given.complete ?? (given !== undefined && channel.complete);
    this.#rules = inventory.site.attributeRules;
    this.#statedTrust = weaker(channel.trust, channel.ceiling);
    this.identified = this.#isIdentified();
    const id = this.#given.spiffeId;
    const parsed = id === undefined ? undefined : SpiffeId.parse(id);
    const said = id ?? this.#stated(keys.spiffeId)?.values[0];
    this.invalid = said === undefined || SpiffeId.parse(said).ok ? undefined : said;
    if (id === undefined || parsed?.ok !== true) return;
    this.#derive(keys.spiffeId, id, 'SPIFFE ID');
    const trustDomain = parsed.value.trustDomain.name;
    this.#derive(keys.trustDomain, trustDomain, 'SPIFFE ID');
    const values = new Templates(inventory.site, inventory.meshes).values(id);
    for (const [key, value] of values ?? []) this.#derive(key, value, `template of ${trustDomain}`);
    const carriers = {
      ...inventory,
      workloads: inventory.workloads.filter(({ spiffeId }) => spiffeId === id),
    };
    this.#facts = factsBySpiffeId(carriers).get(id);
    const { attributes } = inventory.site;
    if (attributes.size > 0 && idsOfSite(carriers)(id)) this.#site = attributes;
  }

  #derive(key: string, value: string, from: string): void {
    this.#derived.set(key, known([value], from, this.#channel.identity));
  }

  #isIdentified(): boolean {
    const { spiffeId, tags, attributes, complete } = this.#given;
    if (spiffeId !== undefined || complete === true) return true;
    if (typeof complete === 'object' && Object.keys(complete).length > 0) return true;
    if (tags !== undefined && Object.keys(tags).length > 0) return true;
    if (attributes === undefined) return false;
    return this.#complete === true || Object.keys(attributes).some((key) => !this.#unknowable(key));
  }

  /** [SRC6] Identity keys that are stated otherwise than the SPIFFE ID says, with both values. */
  conflicts(): { readonly key: string; readonly stated: string; readonly derived: Seen }[] {
    return conflictKeys.toSorted().flatMap((key) => {
      const [value] = this.#stated(key)?.values ?? [];
      const derived = this.#derived.get(key) ?? (recordedKeys.includes(key) ? this.#word(key) : undefined);
      if (value === undefined || derived?.state !== 'known' || derived.values[0] === value) return [];
      return [{ key, stated: value, derived }];
    });
  }

  see(key: string): Seen {
    if (neverPresent(key, 'source')) return absent('a name of destinations');
    if (!this.identified) return unknown('not-given', 'no evidence of who asks');
    if (key === keys.mesh) {
      const { mesh } = this.#given;
      return mesh === undefined
        ? unknown('not-given', stated)
        : known([mesh], stated, this.#channel.identity);
    }
    if (key.startsWith(keys.tag)) return this.#tag(key.slice(keys.tag.length));
    const seen = this.#believed(key);
    if (seen.state !== 'known') return seen;
    const vouched = this.#vouched(key);
    if (vouched === undefined) return unknown('not-trusted-here', seen.from);
    return { ...seen, trust: weaker(seen.trust ?? vouched, vouched) };
  }

  anew(key: string): Anew {
    const most = key === keys.mesh || key.startsWith(keys.tag) ? 'attested' : this.#vouched(key);
    return { trust: this.#statedTrust, ...(most === undefined ? {} : { most }) };
  }

  #tag(tag: string): Seen {
    const tags = this.#given.tags ?? {};
    const value = Object.hasOwn(tags, tag) ? tags[tag] : undefined;
    if (value === undefined)
      return this.#missing(keys.tag + tag, this.#channel.identity, this.#channel.identity);
    return known(typeof value === 'string' ? [value] : value, stated, this.#channel.identity);
  }

  /** Whatever the site says of who may set it. */
  #believed(key: string): Seen {
    const shared = this.#unknowable(key);
    if (shared !== undefined) return this.#derived.get(key) ?? shared;
    const value = better(this.#stated(key), this.#derived.get(key));
    const word = this.#word(key);
    // What the inventory knows better than the request is as the inventory has it.
    const isWeak = word !== undefined && word.state !== 'unknown' && better(value, word) !== value;
    if (value !== undefined && !isWeak) return value;
    if (word !== undefined) return word;
    // An ID is complete for what it says of itself.
    if (this.#derived.size > 0 && key.startsWith('spiffe:'))
      return absent('SPIFFE ID', this.#channel.identity);
    return this.#missing(key, this.#statedTrust, this.#channel.ceiling);
  }

  /** [SRC7] [SRC14] */
  #word(key: string): Seen | undefined {
    const { identity } = this.#channel;
    const ofSite = this.#site?.get(key);
    if (ofSite !== undefined) return known([ofSite], site, weaker('configured', identity));
    const fact = this.#facts?.get(key);
    if (fact?.kind === 'shared') return unknown('shared-identity', workloads, { pods: fact.pods });
    if (fact !== undefined) return known([fact.value], workloads, weaker('observed', identity));
    // A workload is complete for what Kubernetes says of it, a site for what sites are.
    if (this.#facts !== undefined && key.startsWith('k8s:'))
      return absent(workloads, weaker('observed', identity));
    if (this.#site === undefined || !isSiteKey(key)) return undefined;
    return absent(site, weaker('configured', identity));
  }

  #stated(key: string): Seen | undefined {
    const attributes = this.#given.attributes ?? {};
    const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'string') return known([value], stated, this.#statedTrust);
    if ('unknown' in value) return undefined;
    const trust = weaker(value.trust ?? this.#channel.trust, this.#channel.ceiling);
    return known([value.value], stated, trust, value.since);
  }

  /** [SRC11] Stated as what nobody can tell. */
  #unknowable(key: string): Seen | undefined {
    const attributes = this.#given.attributes ?? {};
    const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    if (typeof value !== 'object' || !('unknown' in value)) return undefined;
    const cause = value.unknown === 'shared-identity' ? 'shared-identity' : 'not-given';
    return unknown(cause, stated, value.pods === undefined ? {} : { pods: value.pods });
  }

  /** [SRC12] */
  #missing(key: string, trust: Trust, ceiling: Trust): Seen {
    if (this.#complete === true) return absent(stated, trust);
    const known = Object.entries(this.#complete === false ? {} : this.#complete)
      .filter(([prefix]) => key.startsWith(prefix))
      .map(([, one]) => one)
      .reduce<Trust | undefined>((best, one) => (best === undefined ? one : stronger(best, one)), undefined);
    return known === undefined ? unknown('not-given', stated) : absent(stated, weaker(known, ceiling));
  }

  /**
   * [SRC8] How far a value of a key counts at most, by what says where it is from; undefined if it may not be set
   * there. Who may set a key is judged by what is said, not by who may say it: the site's word ends there.
   */
  #vouched(key: string): Trust | undefined {
    let least: Trust = 'attested';
    for (const rule of this.#rules) {
      if (!rule.keys.some((pattern) => coversKey(pattern, key))) continue;
      let best: Trust | undefined;
      for (const { site, namespaces } of rule.from) {
        const namespace = this.#believed(keys.k8sNamespace);
        const where = [namespace, ...site.map((condition) => this.#believed(condition.key))];
        const [name] = namespace.values;
        if (name === undefined || !namespaces.includes(name)) continue;
        // A source that does not say which site it is of is of none that is named, nor known to be of another.
        if (where.some(({ state }) => state !== 'known')) continue;
        if (!site.every((condition) => holdsFor(condition, this.#believed(condition.key).values))) continue;
        const trust = where.reduce<Trust>((low, seen) => weaker(low, seen.trust ?? low), 'attested');
        best = best === undefined ? trust : stronger(best, trust);
      }
      if (best === undefined) return undefined;
      least = weaker(least, best);
    }
    return least;
  }
}
