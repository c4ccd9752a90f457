import { DestinationValues } from './destination-values.ts';
import type { Attached } from './index/attach.ts';
import { State } from './index/cells.ts';
import { AttributeColumn, attributeStride } from './index/compile.ts';
import { Identity } from './index/identity.ts';
import type { Reading, ValueSource } from './index/reading.ts';
import { Kind } from './index/vocabulary.ts';
import type { Say } from './index/ways.ts';
import { objectsOf, type ReadableSource, statedIn, type WrittenAttributes } from './index/written.ts';
import type { Derived } from './model/facts.ts';
import type {
  Channel,
  CompletePrefixes,
  StatedAttributes,
  StatedUnknown,
  StatedValue,
} from './model/request.ts';
import { keys } from './model/rule.ts';
import { trustDomainOf } from './model/spiffe-id.ts';
import { asciiLower } from './model/text.ts';
import { trustRank } from './model/trust.ts';
import type { Evidence, Origins, Told, Word } from './origins.ts';
import { completeFor, isStated, isStatedUnknown, saysOtherwise, textOf, trustOf } from './stated.ts';
import { TagValues } from './tag-values.ts';

// What is exported is read and checked anew at each use; what a module keeps for itself is a number in the code.
const { kind: kindCell } = AttributeColumn;
const own = trustRank.attested;
/** Identity keys that the inventory may have too. */
const recorded = [keys.k8sNamespace, keys.k8sServiceAccount, keys.siteName];

/** The values of one request, found by the kind of each attribute. One of these serves all decisions in turn. */
export class RequestValues implements ValueSource {
  readonly destination = new DestinationValues();
  /** The SPIFFE ID, where there is one. */
  readonly identity: Identity;
  method: string | undefined;
  path: string | undefined;
  sni: string | undefined;
  readonly #attached: Attached;
  readonly #origins: Origins;
  readonly #attributes: Int32Array;
  #channel: Channel | undefined;
  #identity = 0;
  #trust = 0;
  #ceiling = 0;
  #mesh: string | undefined;
  readonly #tags: TagValues;
  #stated: StatedAttributes | WrittenAttributes | undefined;
  #complete: boolean | CompletePrefixes = false;
  #derived = false;
  #told: Told | undefined;
  #template: Derived | undefined;

  constructor(attached: Attached, origins: Origins) {
    this.identity = new Identity(attached.compiled);
    this.#attached = attached;
    this.#origins = origins;
    this.#tags = new TagValues(attached);
    this.#attributes = attached.compiled.attributes;
  }

  channel(channel: Channel): void {
    if (channel === this.#channel) return;
    this.#channel = channel;
    this.#identity = trustRank[channel.identity];
    this.#ceiling = trustRank[channel.ceiling];
    this.#trust = Math.min(trustRank[channel.trust], this.#ceiling);
    this.destination.trust = this.#trust;
    this.destination.ceiling = this.#ceiling;
  }

  /** Of an unidentified source nothing is known (SRC4). */
  source(given: ReadableSource | undefined, complete: boolean | CompletePrefixes, identified: boolean): void {
    const source = identified ? given : undefined;
    this.#mesh = source?.mesh;
    this.#tags.begin(source?.tags);
    this.#stated = source?.attributes;
    this.#complete = identified && complete;
    this.#derived = this.identity.text === undefined;
    this.#told = undefined;
    this.#template = undefined;
  }

  saysOf(key: string): Say {
    if (this.#origins.restricts(key)) return 'others';
    return this.#origins.derives(key) ? 'template' : 'nobody';
  }

  /** They say the same, or there is a conflict, for which the template was asked when there was something stated. */
  corroborated(key: string): number {
    return this.#template?.get(key) === undefined ? this.#trust : Math.max(this.#trust, this.#identity);
  }

  give(reading: Reading): void {
    const stated = this.#stated;
    const id = this.identity.text;
    // Where the inventory may know better than the request, both are looked at.
    const outranked =
      id !== undefined && this.#trust < this.#identity && this.#trust < this.#origins.known(id);
    const alone = objectsOf(stated)?.[keys.spiffeId] === undefined;
    if (outranked) reading.begin();
    reading.give(outranked ? undefined : stated, alone, this.#identity);
  }

  /** What the ID itself tells is looked up when the first rule asks for something that is not stated. */
  #derive(): void {
    if (this.#derived) return;
    this.#derived = true;
    this.#told = this.#origins.told(this.identity.text as string);
    this.#template = this.#origins.template(this.identity.text as string);
  }

  /** Identity keys that are stated otherwise than the SPIFFE ID says (SRC6). */
  conflicts(): string[] | undefined {
    const id = this.identity.text;
    if (this.#stated === undefined || id === undefined) return undefined;
    const stated = objectsOf(this.#stated) as StatedAttributes;
    let found: string[] | undefined;
    for (const key of recorded) {
      if (stated[key] === undefined) continue;
      this.#derive();
      const derived = this.#template?.get(key) ?? this.#word(key)?.value;
      if (saysOtherwise(stated, key, derived)) found = [...(found ?? []), key];
    }
    if (saysOtherwise(stated, keys.spiffeId, id)) found = [...(found ?? []), keys.spiffeId];
    if (stated[keys.trustDomain] !== undefined && saysOtherwise(stated, keys.trustDomain, trustDomainOf(id)))
      found = [...(found ?? []), keys.trustDomain];
    return found;
  }

  read(attribute: number, into: Reading): void {
    const key = this.#attached.keys[attribute] as string;
    const id = this.identity.text;
    switch (this.#attributes[attribute * attributeStride + kindCell]) {
      case Kind.attribute:
        return this.#attribute(attribute, key, into);
      case Kind.spiffeId:
        return this.#identityValue(attribute, key, id, into);
      case Kind.trustDomain:
        return this.#identityValue(attribute, key, id && trustDomainOf(id), into);
      case Kind.mesh:
        // A client that does not name its mesh is of none that is known (SRC9).
        if (this.#mesh === undefined) return into.unknown(attribute);
        return into.known(attribute, this.#mesh, this.#identity);
      case Kind.tag:
        return this.#tag(attribute, into);
      case Kind.method:
        return shown(attribute, this.method, into);
      case Kind.path:
        return shown(attribute, this.path, into);
      case Kind.sni:
        if (this.sni !== undefined) return into.known(attribute, asciiLower(this.sni), own);
        if (this.#channel?.serverNames === 'untold') return into.unknown(attribute);
        return into.absent(attribute, own);
      case Kind.destination:
        return this.destination.read(attribute, key, into);
      default:
        return into.absent(attribute, own);
    }
  }

  #attribute(attribute: number, key: string, into: Reading): void {
    this.#derive();
    const stated = statedIn(this.#stated, attribute, key);
    if (stated === undefined) this.#missing(attribute, key, into);
    else if (typeof stated === 'string') into.known(attribute, stated, this.#trust);
    else if (isStated(objectsOf(this.#stated), key, stated)) this.#statedValue(attribute, stated, into);
    else if (isStatedUnknown(objectsOf(this.#stated), key, stated))
      this.#unknowable(attribute, key, stated, into);
    else this.#missing(attribute, key, into);
    // The ID's word first: what it says too is believed as far as the ID is, and no inventory outranks that.
    if (this.#template !== undefined) this.#corroborate(attribute, key, into);
    if (stated !== undefined) this.#outrank(attribute, key, into);
    this.#vouch(attribute, key, into);
  }

  /** Whoever says so has looked at all who share the ID; only the ID itself says more (SRC11). */
  #unknowable(attribute: number, key: string, { unknown }: StatedUnknown, into: Reading): void {
    const derived = this.#template?.get(key);
    if (derived !== undefined) into.known(attribute, derived, this.#identity);
    else if (unknown === 'shared-identity') into.shared(attribute);
    else into.unknown(attribute);
  }

  #statedValue(attribute: number, stated: StatedValue, into: Reading): void {
    into.known(attribute, stated.value, trustOf(stated, this.#trust, this.#ceiling));
    if (stated.since !== undefined) into.dated(attribute, stated.since);
  }

  /** What the inventory knows better than the request is as the inventory has it (SRC7). */
  #outrank(attribute: number, key: string, into: Reading): void {
    const word = this.#word(key);
    if (word === undefined || into.state(attribute) !== State.known) return;
    if (into.trust(attribute) < this.#rank(word)) this.#say(attribute, word, into);
  }

  /** Undefined too where workloads that share the ID differ. */
  #word(key: string): Word | undefined {
    const word = this.#told?.get(key);
    return word === 'shared' ? undefined : word;
  }

  /** What the inventory says of an ID is believed no further than the ID is. */
  #rank({ trust }: Word): number {
    return Math.min(trust, this.#identity);
  }

  #say(attribute: number, word: Word, into: Reading): void {
    into.clear(attribute);
    if (word.value === undefined) into.absent(attribute, this.#rank(word));
    else into.known(attribute, word.value, this.#rank(word));
  }

  /** A value that the template gives too (they agree, or there is a conflict) has the better trust of both. */
  #corroborate(attribute: number, key: string, into: Reading): void {
    if (into.trust(attribute) >= this.#identity || this.#template?.get(key) === undefined) return;
    into.trusted(attribute, this.#identity);
  }

  /** Not stated: by the template, by the inventory, else absent or unknown with its set. */
  #missing(attribute: number, key: string, into: Reading): void {
    const derived = this.#template?.get(key);
    if (derived !== undefined) return into.known(attribute, derived, this.#identity);
    const word = this.#told?.get(key);
    if (word === 'shared') return into.shared(attribute);
    if (word !== undefined) return this.#say(attribute, word, into);
    // An ID says all that there is to say of identities.
    if (this.identity.text !== undefined && key.startsWith('spiffe:'))
      return into.absent(attribute, this.#identity);
    this.#gone(attribute, key, this.#trust, this.#ceiling, into);
  }

  #gone(attribute: number, key: string, trust: number, ceiling: number, into: Reading): void {
    if (this.#complete === true) return into.absent(attribute, trust);
    const known = this.#complete === false ? undefined : completeFor(this.#complete, key, ceiling);
    if (known === undefined) into.unknown(attribute);
    else into.absent(attribute, known);
  }

  #identityValue(attribute: number, key: string, value: string | undefined, into: Reading): void {
    const all = value === undefined ? undefined : objectsOf(this.#stated);
    const stated = all !== undefined && textOf(all, key) !== undefined;
    if (value === undefined || stated) this.#attribute(attribute, key, into);
    if (value === undefined || (stated && into.trust(attribute) >= this.#identity)) return;
    into.end = into.start(attribute);
    into.known(attribute, value, this.#identity);
    into.trusted(attribute, this.#identity);
    this.#vouch(attribute, key, into);
  }

  /** A value from where it may not be set is unknown, and none is better than what says where it is from (SRC8). */
  #vouch(attribute: number, key: string, into: Reading): void {
    if (into.state(attribute) !== State.known || !this.#origins.restricts(key)) return;
    const vouched = this.#origins.vouched(key, (other) => this.#evidence(other));
    if (vouched === undefined) {
      into.clear(attribute);
      into.unknown(attribute);
    } else if (vouched < into.trust(attribute)) into.capped(attribute, vouched);
  }

  #tag(attribute: number, into: Reading): void {
    const value = this.#tags.of(attribute);
    if (value === undefined) {
      const key = this.#attached.keys[attribute] as string;
      return this.#gone(attribute, key, this.#identity, this.#identity, into);
    }
    if (typeof value === 'string') return into.knownShort(attribute, value, this.#identity);
    into.knownShort(attribute, value[0] as string, this.#identity);
    for (let i = 1; i < value.length; i++) into.add(attribute, value[i] as string);
  }

  /** The best that is known of a key of the source; for rules about who may set a value. */
  #evidence(key: string): Evidence | undefined {
    this.#derive();
    let best: Evidence | undefined;
    const offer = (value: string | undefined, trust: number): void => {
      if (value !== undefined && (best === undefined || trust > best.trust)) best = { value, trust };
    };
    const id = this.identity.text;
    const all = objectsOf(this.#stated);
    const stated = all?.[key];
    if (typeof stated === 'string') offer(stated, this.#trust);
    else if (isStated(all, key, stated)) offer(stated.value, trustOf(stated, this.#trust, this.#ceiling));
    const unknowable = isStatedUnknown(all, key, stated);
    if (id !== undefined && key === keys.spiffeId) offer(id, this.#identity);
    if (id !== undefined && key === keys.trustDomain) offer(trustDomainOf(id), this.#identity);
    offer(this.#template?.get(key), this.#identity);
    const word = unknowable ? undefined : this.#word(key);
    if (word?.value !== undefined) offer(word.value, this.#rank(word));
    else if (word !== undefined && best !== undefined && (best as Evidence).trust < this.#rank(word))
      return undefined;
    return best;
  }
}

function shown(attribute: number, value: string | undefined, into: Reading): void {
  if (value === undefined) into.unknown(attribute);
  else into.known(attribute, value, own);
}
