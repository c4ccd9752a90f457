import type { Reading } from './index/reading.ts';
import { objectsOf, statedIn, type WrittenAttributes } from './index/written.ts';
import { pushTo } from './model/lists.ts';
import type { StatedAttributes } from './model/request.ts';
import { isOwnKey, keys } from './model/rule.ts';
import { trustRank } from './model/trust.ts';
import { isStated, textOf, trustOf } from './stated.ts';
import { isUnknown, type Target } from './targets.ts';

const own = trustRank.attested;
const configured = trustRank.configured;

/** What is asked for, of one request after another: a target of the inventory, or attributes given outright. */
export class DestinationValues {
  target: Target | undefined;
  /** Set where the request gives the destination outright. */
  outright: StatedAttributes | WrittenAttributes | undefined;
  complete = false;
  namespace: string | undefined;
  route: string | undefined;
  /** Ranks of the trust of outright attributes, and of the most that they may state. */
  trust = 0;
  ceiling = 0;
  /** By a route's name, how policies name it with a namespace. */
  #placed: Map<string, string[]> | undefined;

  read(attribute: number, key: string, into: Reading): void {
    if (key === keys.namespace && this.namespace !== undefined) {
      return into.known(attribute, this.namespace, own);
    }
    if (this.outright !== undefined) return this.#stated(attribute, key, this.outright, into);
    const target = this.target as Target;
    if (key === keys.section && target.sections !== undefined) {
      return into.oneOf(attribute, target.sections);
    }
    if (key === keys.route && target.inbound) return this.#route(attribute, into);
    const value = target.values.get(key);
    if (value === undefined) {
      if (key === keys.k8sNamespace && this.namespace !== undefined)
        into.known(attribute, this.namespace, this.trust);
      else if (isUnknown(target, key)) into.unknown(attribute);
      else into.absent(attribute, configured);
    } else if (typeof value === 'string') into.known(attribute, value, isOwnKey(key) ? own : configured);
    else {
      into.known(attribute, value[0] as string, own);
      for (let i = 1; i < value.length; i++) into.add(attribute, value[i] as string);
    }
  }

  /** A route is known by its name, and with its namespace where that is given; else it may be that of any (DST8). */
  #route(attribute: number, into: Reading): void {
    const { route } = this;
    if (route === undefined) return into.unknown(attribute);
    const slash = route.indexOf('/');
    if (slash < 0) {
      this.#placed ??= placedRoutes(into.attached.exact[attribute]?.keys() ?? []);
      const placed = this.#placed.get(route);
      if (placed === undefined) into.known(attribute, route, own);
      else into.perhaps(attribute, route, placed);
      return;
    }
    into.known(attribute, route, own);
    into.add(attribute, route.slice(slash + 1));
  }

  #stated(
    attribute: number,
    key: string,
    outright: StatedAttributes | WrittenAttributes,
    into: Reading,
  ): void {
    if (key === keys.namespace) {
      const namespace = textOf(objectsOf(outright), keys.k8sNamespace);
      if (namespace === undefined) into.unknown(attribute);
      else into.known(attribute, namespace, own);
      return;
    }
    if (isOwnKey(key)) return into.absent(attribute, own);
    const stated = statedIn(outright, attribute, key);
    if (typeof stated === 'string') into.known(attribute, stated, this.trust);
    else if (stated !== undefined && isStated(objectsOf(outright), key, stated))
      into.known(attribute, stated.value, trustOf(stated, this.trust, this.ceiling));
    else if (key === keys.k8sNamespace && this.namespace !== undefined)
      into.known(attribute, this.namespace, this.trust);
    else if (this.complete) into.absent(attribute, this.trust);
    else into.unknown(attribute);
  }
}

function placedRoutes(named: Iterable<string>): Map<string, string[]> {
  const placed = new Map<string, string[]>();
  for (const route of named) {
    const slash = route.indexOf('/');
    if (slash < 0) continue;
    const name = route.slice(slash + 1);
    pushTo(placed, name, route);
  }
  return placed;
}
