import type { KeyObject } from 'node:crypto';
import { pushTo } from '../../pdp/model/lists.ts';
import type { Refusal } from '../evidence.ts';
import type { KeysByName } from '../jwt/jws.ts';
import type { Certificate } from '../x509/certificate.ts';
import type { Bundle } from './bundle.ts';

/** How one source of a bundle does. */
export interface BundleStatus {
  readonly trustDomain: string;
  /** A file's path, or the part of the Workload API that it is from. */
  readonly source: string;
  readonly authorities: number;
  readonly keys: number;
  readonly sequence?: number;
  /** When what is used now was loaded; undefined if nothing ever was. Milliseconds since the epoch. */
  readonly loadedAt?: number;
  /** Why the last try to load it failed; what was good before is still in use. */
  readonly refusal?: Refusal;
}

interface Slot {
  bundle?: Bundle;
  loadedAt?: number;
  refusal?: Refusal;
}

interface Joined {
  readonly authorities: readonly Certificate[];
  readonly keys: KeysByName;
}

/**
 * The bundles of all trust domains, each from one or more sources; what several say of one trust domain is added
 * up. `version` changes with every change of what is trusted, so that what was verified before can be forgotten.
 */
export class Bundles {
  readonly #sources = new Map<string, Map<string, Slot>>();
  readonly #joined = new Map<string, Joined>();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  load(source: string, bundle: Bundle, at: number): void {
    const slot = this.#slot(bundle.trustDomain, source);
    // A publisher that counts does not go back; an older copy of a file is a mistake or an attack.
    const { sequence } = slot.bundle ?? {};
    if (sequence !== undefined && bundle.sequence !== undefined && bundle.sequence < sequence) {
      const message = `got the bundle ${bundle.sequence} after the bundle ${sequence}, want no older one`;
      slot.refusal = { code: 'unknown-authority', message };
      return;
    }
    slot.bundle = bundle;
    slot.loadedAt = at;
    delete slot.refusal;
    this.#join(bundle.trustDomain);
  }

  /** What was good before stays in use. */
  fail(source: string, trustDomain: string, refusal: Refusal): void {
    this.#slot(trustDomain, source).refusal = refusal;
  }

  /** A source that no longer has anything to say of a trust domain. */
  drop(source: string, trustDomain: string): void {
    if (this.#sources.get(trustDomain)?.delete(source)) this.#join(trustDomain);
  }

  authorities(trustDomain: string): readonly Certificate[] | undefined {
    return this.#joined.get(trustDomain)?.authorities;
  }

  keys(trustDomain: string): KeysByName | undefined {
    return this.#joined.get(trustDomain)?.keys;
  }

  trustDomains(): readonly string[] {
    return [...this.#joined.keys()].sort();
  }

  status(): readonly BundleStatus[] {
    const all: BundleStatus[] = [];
    for (const [trustDomain, slots] of this.#sources) {
      for (const [source, { bundle, loadedAt, refusal }] of slots) {
        all.push({
          trustDomain,
          source,
          authorities: bundle?.authorities.length ?? 0,
          keys: bundle?.keys.size ?? 0,
          ...(bundle?.sequence === undefined ? {} : { sequence: bundle.sequence }),
          ...(loadedAt === undefined ? {} : { loadedAt }),
          ...(refusal === undefined ? {} : { refusal }),
        });
      }
    }
    return all;
  }

  #slot(trustDomain: string, source: string): Slot {
    let slots = this.#sources.get(trustDomain);
    if (slots === undefined) {
      slots = new Map();
      this.#sources.set(trustDomain, slots);
    }
    let slot = slots.get(source);
    if (slot === undefined) {
      slot = {};
      slots.set(source, slot);
    }
    return slot;
  }

  #join(trustDomain: string): void {
    const bundles = [...(this.#sources.get(trustDomain)?.values() ?? [])].flatMap(
      ({ bundle }) => bundle ?? [],
    );
    const before = this.#joined.get(trustDomain);
    if (bundles.length === 0) {
      if (this.#joined.delete(trustDomain)) this.#version++;
      return;
    }
    const authorities = new Map<string, Certificate>();
    const keys = new Map<string, KeyObject[]>();
    for (const bundle of bundles) {
      for (const authority of bundle.authorities) authorities.set(authority.fingerprint, authority);
      // Each source is believed: none takes another's key away by giving its own the same name.
      for (const [kid, key] of bundle.keys) if (!holds(keys.get(kid), key)) pushTo(keys, kid, key);
    }
    const joined = { authorities: [...authorities.values()], keys };
    // A source may say again and again what it said before: what was verified by it stays verified.
    if (before !== undefined && isSame(before, joined)) return;
    this.#joined.set(trustDomain, joined);
    this.#version++;
  }
}

/** In the same order, too: it is the order in which ways to an authority are tried. */
function isSame(one: Joined, other: Joined): boolean {
  if (one.authorities.length !== other.authorities.length || one.keys.size !== other.keys.size) return false;
  return (
    one.authorities.every(({ fingerprint }, i) => fingerprint === other.authorities[i]?.fingerprint) &&
    [...one.keys].every(([kid, keys]) => {
      const others = other.keys.get(kid);
      return others?.length === keys.length && keys.every((key) => holds(others, key));
    })
  );
}

function holds(keys: readonly KeyObject[] | undefined, key: KeyObject): boolean {
  return keys?.some((one) => one.equals(key)) === true;
}
