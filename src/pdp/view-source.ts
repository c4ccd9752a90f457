import { neverPresent } from './model/aliases.ts';
import type { Channel, RequestSource } from './model/request.ts';
import { keys } from './model/rule.ts';
import { type Trust, trustRank, weaker } from './model/trust.ts';
import type { Origins } from './origins.ts';
import type { Seen } from './seen.ts';

type Value = Extract<Seen, { is: 'value' }>;

export const fromRequest = 'the request';
const fromId = 'the SPIFFE ID';
const fromTemplate = 'the SPIFFE ID by its template';
const fromWorkloads = 'the workloads that carry the SPIFFE ID';
export const fromNowhere = 'nothing';

/** Who asks, key by key, as text: what is stated, what the SPIFFE ID says, what the inventory says of the ID. */
export class SourceView {
  readonly identified: boolean;
  /** Identity keys stated otherwise than the SPIFFE ID has them (SPEC SRC6), sorted. */
  readonly conflicts: readonly string[];
  readonly #given: RequestSource;
  readonly #channel: Channel;
  readonly #origins: Origins;
  readonly #complete: boolean;
  readonly #stated = new Map<string, Value>();
  readonly #derived = new Map<string, Value>();

  constructor(given: RequestSource | undefined, origins: Origins, channel: Channel) {
    this.#given = given ?? {};
    this.#channel = channel;
    this.#origins = origins;
    const complete = given?.complete ?? channel.complete;
    this.identified = given !== undefined && isIdentified(given, complete);
    this.#complete = complete && this.identified;
    this.#readStated();
    this.#readId();
    this.conflicts = [keys.spiffeId, keys.trustDomain, keys.k8sNamespace, keys.k8sServiceAccount]
      .filter((key) => {
        const [stated, derived] = [this.#stated.get(key), this.#derived.get(key)];
        return stated !== undefined && derived !== undefined && stated.values[0] !== derived.values[0];
      })
      .sort();
  }

  #readStated(): void {
    for (const [key, stated] of Object.entries(this.#given.attributes ?? {})) {
      const {
        value,
        trust = this.#channel.trust,
        since,
      } = typeof stated === 'string' ? { value: stated } : stated;
      const capped = weaker(trust, this.#channel.ceiling);
      this.#stated.set(key, {
        ...valueFrom(fromRequest, value, capped),
        ...(since === undefined ? {} : { since }),
      });
    }
  }

  #readId(): void {
    const id = this.#given.spiffeId;
    if (id === undefined) return;
    const { identity } = this.#channel;
    for (const [key, value] of this.#origins.template(id) ?? []) {
      this.#derived.set(key, valueFrom(fromTemplate, value, identity));
    }
    this.#derived.set(keys.spiffeId, valueFrom(fromId, id, identity));
    this.#derived.set(keys.trustDomain, valueFrom(fromId, id.split('/')[2] as string, identity));
  }

  see(key: string): Seen {
    if (neverPresent(key, 'source')) return { is: 'absent', from: fromNowhere };
    if (!this.identified) return { is: 'unknown', from: fromNowhere, cause: 'unidentified' };
    if (key === keys.mesh) return this.#mesh();
    if (key.startsWith(keys.tag)) return this.#tag(key.slice(keys.tag.length));
    const seen = this.#value(key) ?? this.#missing(key);
    return seen.is === 'value' && !this.mayBeSet(key)
      ? { is: 'unknown', from: seen.from, cause: 'not-vouched' }
      : seen;
  }

  /** Whether this source is among those that may set a key (SPEC SRC8). */
  mayBeSet(key: string): boolean {
    return (
      !this.#origins.restricts(key) || this.#origins.mayBeSet(key, (other) => this.#value(other)?.values[0])
    );
  }

  /** SPEC SRC9. */
  #mesh(): Seen {
    const { mesh } = this.#given;
    if (mesh === undefined) return { is: 'unknown', from: fromNowhere, cause: 'missing' };
    return valueFrom(fromRequest, mesh, this.#channel.identity);
  }

  #tag(tag: string): Seen {
    const { tags = {} } = this.#given;
    const { identity } = this.#channel;
    if (!Object.hasOwn(tags, tag)) return this.#gone(identity);
    const value = tags[tag] as string | readonly string[];
    return {
      is: 'value',
      values: typeof value === 'string' ? [value] : value,
      from: fromRequest,
      trust: identity,
    };
  }

  /** Stated and derived, where both are there, agree; the better source counts. */
  #value(key: string): Value | undefined {
    const stated = this.#stated.get(key);
    const derived = this.#derived.get(key);
    if (stated === undefined || derived === undefined) return stated ?? derived ?? this.#shared(key);
    return trustRank[stated.trust as Trust] < trustRank[derived.trust as Trust] ? derived : stated;
  }

  #facts(): ReturnType<Origins['facts']> {
    const { spiffeId } = this.#given;
    return spiffeId === undefined ? undefined : this.#origins.facts(spiffeId);
  }

  #shared(key: string): Value | undefined {
    const fact = this.#facts()?.get(key);
    return fact?.kind === 'agreed' ? valueFrom(fromWorkloads, fact.value, this.#observed) : undefined;
  }

  /** What the inventory says of an ID is believed no further than the ID is. */
  get #observed(): Trust {
    return weaker('observed', this.#channel.identity);
  }

  #missing(key: string): Seen {
    const facts = this.#facts();
    const fact = facts?.get(key);
    if (fact?.kind === 'shared') {
      return { is: 'unknown', from: fromWorkloads, cause: 'shared-identity', pods: fact.pods };
    }
    // A workload is complete for what Kubernetes says of it.
    if (facts !== undefined && key.startsWith('k8s:')) {
      return { is: 'absent', from: fromWorkloads, trust: this.#observed };
    }
    return this.#gone(weaker(this.#channel.trust, this.#channel.ceiling));
  }

  #gone(trust: Trust): Seen {
    if (this.#complete) return { is: 'absent', from: fromRequest, trust };
    return { is: 'unknown', from: fromNowhere, cause: 'missing' };
  }
}

function valueFrom(from: string, value: string, trust: Trust): Value {
  return { is: 'value', values: [value], from, trust };
}

/** SPEC SRC1. */
function isIdentified(
  { spiffeId, tags, attributes, complete: said }: RequestSource,
  complete: boolean,
): boolean {
  if (spiffeId !== undefined || said === true || Object.keys(tags ?? {}).length > 0) return true;
  return attributes !== undefined && (complete || Object.keys(attributes).length > 0);
}
