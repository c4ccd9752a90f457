import type { Channel, RequestSource, StatedValue } from '../../src/pdp/model/request.ts';
import type { Trust } from '../../src/pdp/model/trust.ts';
import { selectorConditions, wrongSide } from './access.ts';
import { readTemplate, splitSpiffeId } from './identity.ts';
import type { Known } from './known.ts';
import type { TwinCondition } from './rule.ts';
import { isBelow, type Seen, truthOf, weakerOf } from './seen.ts';

/** Who asks, as far as the request and the inventory tell. */

interface Value {
  value: string;
  trust: Trust;
  since: number | undefined;
}

export class Source {
  readonly identified: boolean;
  /** [SRC3] */
  readonly invalid: boolean;
  /** [SRC6] The keys that contradict themselves. */
  readonly conflicts: string[] = [];
  private readonly known: Known;
  private readonly channel: Channel;
  private readonly given: RequestSource;
  private readonly complete: NonNullable<RequestSource['complete']>;
  private readonly stated = new Map<string, Value>();
  private readonly derived = new Map<string, Value>();

  constructor(given: RequestSource | undefined, known: Known, channel: Channel) {
    this.given = given ?? {};
    this.known = known;
    this.channel = channel;
    this.complete = this.given.complete ?? (channel.complete && given !== undefined);
    this.identified = this.isIdentified();
    this.readStated();
    const id = this.given.spiffeId ?? this.stated.get('spiffe:id')?.value;
    this.invalid = id !== undefined && splitSpiffeId(id) === undefined;
    if (!this.invalid) this.readSpiffeId();
    for (const [key, { value }] of this.stated) {
      const recorded = ['k8s:ns', 'k8s:sa', 'site:name'].includes(key);
      const other = this.derived.get(key) ?? (recorded ? (this.ofSite(key) ?? this.agreed(key)) : undefined);
      if (other !== undefined && other.value !== value) this.conflicts.push(key);
    }
  }

  /** [SRC1] */
  private isIdentified(): boolean {
    const { spiffeId, tags, attributes, complete } = this.given;
    if (spiffeId !== undefined || complete === true) return true;
    if (complete !== undefined && Object.keys(complete).length > 0) return true;
    if (tags !== undefined && Object.keys(tags).length > 0) return true;
    if (attributes === undefined) return false;
    const said = Object.values(attributes).some((one) => typeof one === 'string' || !('unknown' in one));
    return said || this.complete === true;
  }

  /** [REQ5] */
  private readStated(): void {
    for (const [key, stated] of Object.entries(this.given.attributes ?? {})) {
      if (typeof stated === 'object' && 'unknown' in stated) continue;
      const full: StatedValue = typeof stated === 'string' ? { value: stated } : stated;
      const trust = weakerOf(full.trust ?? this.channel.trust, this.channel.ceiling);
      this.stated.set(key, { value: full.value, trust, since: full.since });
    }
  }

  /** [SRC5] */
  private readSpiffeId(): void {
    const id = this.given.spiffeId;
    if (id === undefined) return;
    const { domain, path } = splitSpiffeId(id)!;
    const derive = (key: string, value: string) =>
      this.derived.set(key, { value, trust: this.channel.identity, since: undefined });
    derive('spiffe:id', id);
    derive('spiffe:trust-domain', domain);
    for (const trusted of this.known.trustDomains) {
      if (trusted.name !== domain) continue;
      const read = readTemplate(trusted.template, path);
      for (const [key, value] of Object.entries(read ?? {})) derive(key, value);
      break;
    }
  }

  see(key: string): Seen {
    if (wrongSide(key, 'source')) return { is: 'absent', trust: undefined };
    if (!this.identified) return { is: 'unknown', because: 'missing' }; // SRC4
    if (key === 'kuma:mesh') return this.seeMesh();
    if (key.startsWith('kuma:tag:')) return this.seeTag(key.slice('kuma:tag:'.length));
    const why = this.unknowable(key);
    if (why !== undefined && !this.derived.has(key))
      return { is: 'unknown', because: why === 'shared-identity' ? why : 'missing' };
    const value = this.better(this.stated.get(key), this.derived.get(key));
    if (value === undefined || this.isOutranked(key, value)) return this.seeShared(key);
    return this.vouched(key, value);
  }

  private sharing() {
    const id = this.given.spiffeId;
    return this.known.workloads.filter((workload) => id !== undefined && workload.spiffeId === id);
  }

  /** What all workloads of the ID say alike. */
  private agreed(key: string): Value | undefined {
    const values = new Set(
      this.sharing().map(({ attributes }) => (Object.hasOwn(attributes, key) ? attributes[key] : undefined)),
    );
    const [value] = values;
    if (values.size !== 1 || value === undefined) return undefined;
    return { value, trust: weakerOf('observed', this.channel.identity), since: undefined };
  }

  /** [SRC14] Only this site lists the trust domain, and no workload of the ID names a site. */
  private isHere(): boolean {
    const id = this.given.spiffeId;
    if (id === undefined || this.invalid) return false;
    const { domain } = splitSpiffeId(id)!;
    const elsewhere = this.sharing().some(({ attributes }) => Object.hasOwn(attributes, 'site:name'));
    return this.known.ownDomains.includes(domain) && !elsewhere;
  }

  private ofSite(key: string): Value | undefined {
    const { siteAttributes } = this.known;
    if (!this.isHere() || !Object.hasOwn(siteAttributes, key)) return undefined;
    return {
      value: siteAttributes[key]!,
      trust: weakerOf('configured', this.channel.identity),
      since: undefined,
    };
  }

  /** A site says all there is of sites, unless a workload says more. */
  private lacksBySite(key: string): boolean {
    return this.isHere() && /^(cl:)?site:/.test(key) && this.ofSite(key) === undefined;
  }

  /** [SRC7] [SRC14] The inventory knows better: it has a value that all agree on, or knows that there is none. */
  private isOutranked(key: string, value: Value): boolean {
    const ofSite = this.ofSite(key);
    if (ofSite !== undefined) return isBelow(value.trust, ofSite.trust);
    const said = this.sharing().some(({ attributes }) => Object.hasOwn(attributes, key));
    if (this.lacksBySite(key) && !said)
      return isBelow(value.trust, weakerOf('configured', this.channel.identity));
    if (!isBelow(value.trust, weakerOf('observed', this.channel.identity))) return false;
    if (this.agreed(key) !== undefined) return true;
    const sharing = this.sharing();
    const none = sharing.every(({ attributes }) => !Object.hasOwn(attributes, key));
    return sharing.length > 0 && none && key.startsWith('k8s:');
  }

  /** [SRC9] */
  private seeMesh(): Seen {
    if (this.given.mesh === undefined) return { is: 'unknown', because: 'missing' };
    return { is: 'value', values: [this.given.mesh], trust: this.channel.identity };
  }

  private seeTag(tag: string): Seen {
    const tags = this.given.tags ?? {};
    if (!Object.hasOwn(tags, tag))
      return this.missing(`kuma:tag:${tag}`, this.channel.identity, this.channel.identity);
    const value = tags[tag]!;
    const values = typeof value === 'string' ? [value] : value;
    return { is: 'value', values, trust: this.channel.identity };
  }

  /** Where two sources say the same, the better one counts. */
  private better(a: Value | undefined, b: Value | undefined): Value | undefined {
    if (a === undefined || b === undefined) return a ?? b;
    return isBelow(a.trust, b.trust) ? b : a;
  }

  /** [UNK2] [UNK3] */
  private missing(key: string, trust: Trust, ceiling: Trust): Seen {
    if (this.complete === true) return { is: 'absent', trust };
    if (this.complete === false) return { is: 'unknown', because: 'missing' };
    let best: Trust | undefined;
    for (const [prefix, one] of Object.entries(this.complete)) {
      if (!key.startsWith(prefix)) continue;
      const capped = weakerOf(one, ceiling);
      if (best === undefined || isBelow(best, capped)) best = capped;
    }
    return best === undefined ? { is: 'unknown', because: 'missing' } : { is: 'absent', trust: best };
  }

  /** [SRC11] */
  private unknowable(key: string): string | undefined {
    const attributes = this.given.attributes ?? {};
    const stated = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    return typeof stated === 'object' && 'unknown' in stated ? stated.unknown : undefined;
  }

  /** [SRC7] */
  private seeShared(key: string): Seen {
    const ofSite = this.ofSite(key);
    if (ofSite !== undefined) return this.vouched(key, ofSite);
    const id = this.given.spiffeId;
    const sharing = this.sharing();
    const trust = weakerOf('observed', this.channel.identity);
    if (sharing.length > 0) {
      const values = new Set(
        sharing.map(({ attributes }) => (Object.hasOwn(attributes, key) ? attributes[key] : undefined)),
      );
      if (values.size > 1) return { is: 'unknown', because: 'shared-identity' };
      const [value] = values;
      if (value !== undefined) return this.vouched(key, { value, trust, since: undefined });
    }
    // A workload is complete for what Kubernetes says of it, an ID for what identities are.
    if (sharing.length > 0 && key.startsWith('k8s:')) return { is: 'absent', trust };
    if (this.lacksBySite(key)) return { is: 'absent', trust: weakerOf('configured', this.channel.identity) };
    if (id !== undefined && key.startsWith('spiffe:')) return { is: 'absent', trust: this.channel.identity };
    return this.missing(key, weakerOf(this.channel.trust, this.channel.ceiling), this.channel.ceiling);
  }

  /** [SRC8] */
  private vouched(key: string, value: Value): Seen {
    const seen: Seen = { is: 'value', values: [value.value], trust: value.trust, since: value.since };
    const rules = this.known.attributeRules.filter((rule) => rule.keys.some((name) => covers(name, key)));
    if (rules.length === 0) return seen;
    const hierarchical = ['site:location', 'spiffe:id', ...(this.known.site.hierarchical ?? [])];
    let trust = value.trust;
    for (const rule of rules) {
      let best: Trust | undefined;
      for (const from of rule.from) {
        const namespace = this.see('k8s:ns');
        if (namespace.is !== 'value' || !from.namespaces.includes(namespace.values[0]!)) continue;
        const conditions = selectorConditions(from.site ?? {}, 'source', hierarchical, undefined);
        if (!conditions.every((condition) => this.isOfSite(condition))) continue;
        let evidence = namespace.trust!;
        for (const condition of conditions) {
          const seen = this.see(condition.key);
          if (seen.is === 'value') evidence = weakerOf(evidence, seen.trust!);
        }
        if (best === undefined || isBelow(best, evidence)) best = evidence;
      }
      if (best === undefined) return { is: 'unknown', because: 'missing' };
      trust = weakerOf(trust, best);
    }
    return { ...seen, trust };
  }

  /** [SRC8] A source that does not say which site it is of is of none that is named, nor known to be of another. */
  private isOfSite(condition: TwinCondition): boolean {
    const seen = this.see(condition.key);
    return seen.is === 'value' && truthOf(condition, seen, undefined) === 'true';
  }
}

function covers(name: string, key: string): boolean {
  return name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name;
}
