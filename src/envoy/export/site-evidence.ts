import { holdsFor, matches } from '../../pdp/model/condition.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { domainsOfSite, isSiteKey, placedIds } from '../../pdp/model/of-site.ts';
import type { Condition } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { type Trust, trustRank } from '../../pdp/model/trust.ts';
import { absent, among, idLeaf, type Known, trustDomainLeaves, unknown, within } from './conditions.ts';
import { all, any, type Expression, not } from './expression.ts';

/** What an ID tells of the site of its client (SPEC WHO6). */
export class SiteEvidence {
  /** Whose clients are of this site. */
  readonly where: Expression;
  /** All that goes into it. */
  readonly text: string;
  readonly #attributes: ReadonlyMap<string, string>;

  constructor(inventory: Inventory) {
    const { attributes } = inventory.site;
    this.#attributes = attributes;
    const domains = attributes.size === 0 ? [] : domainsOfSite(inventory);
    const placed = [...placedIds(inventory)].sort(byText);
    const own = any(domains.flatMap((value) => trustDomainLeaves({ match: 'exact', value })));
    this.where = all([own, not(any(placed.flatMap((value) => idLeaf({ match: 'exact', value }))))]);
    this.text = JSON.stringify([[...attributes], domains, placed]);
  }

  known(condition: Condition, floor: Trust | undefined, vouched: Expression): Known {
    const { key, values } = condition;
    if (!reached(floor)) return unknown;
    const value = this.#attributes.get(key);
    if (value !== undefined) {
      const found = values.some((pattern) => matches(pattern, value));
      return within(among(condition, true, found, vouched), this.where);
    }
    return isSiteKey(key) ? within(absent(condition), this.where) : unknown;
  }

  /** Whether this site is one of those that a rule about attributes names (SRC8). */
  fulfils(site: readonly Condition[], floor: Trust | undefined): boolean {
    return reached(floor) && site.every((one) => this.#holds(one));
  }

  #holds(condition: Condition): boolean {
    const value = this.#attributes.get(condition.key);
    return value !== undefined && holdsFor(condition, [value]);
  }
}

function reached(floor: Trust | undefined): boolean {
  return floor === undefined || trustRank.configured >= trustRank[floor];
}
