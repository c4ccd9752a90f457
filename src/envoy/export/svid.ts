import { neverPresent } from '../../pdp/model/aliases.ts';
import { floorOf } from '../../pdp/model/condition.ts';
import { coversKey, type Inventory } from '../../pdp/model/inventory.ts';
import { type Condition, keys, type Pattern } from '../../pdp/model/rule.ts';
import type { Trust } from '../../pdp/model/trust.ts';
import { absent, among, anyId, idLeaf, type Known, trustDomainLeaves, within } from './conditions.ts';
import { digestOf } from './digest.ts';
import { all, any, type Expression, foldId, not } from './expression.ts';
import { Identities } from './identities.ts';
import { SiteEvidence } from './site-evidence.ts';
import { IdTemplates, templateKeys } from './template.ts';

/** More whole IDs than these for one rule are said by patterns instead. */
const mostCombined = 64;

/**
 * What conditions on the source come to for a peer of which nothing but its X509-SVID is known: said of its ID, by
 * templates and by the IDs of the inventory, exactly as the PDP would decide with this evidence.
 */
export class SvidEvidence {
  readonly identities: Identities;
  /** Keys that were answered by the inventory: what is exported holds as long as it does. */
  readonly resolved = new Set<string>();
  readonly #inventory: Inventory;
  readonly #templates: IdTemplates;
  readonly #here: SiteEvidence;
  /** What the operator says of where values are from. */
  readonly #site: string;
  readonly #matches = new Map<Condition, Map<boolean, Map<boolean, Expression>>>();

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
    this.identities = new Identities(inventory);
    this.#templates = new IdTemplates(inventory);
    this.#here = new SiteEvidence(inventory);
    const { floor, attributeRules } = inventory.site;
    this.#site = digestOf(JSON.stringify([floor, attributeRules, this.#templates.texts, this.#here.text]));
  }

  /**
   * Where a rule's conditions let it match: all true for an allow, none known to be false for a deny. `always`: there
   * is no peer without an ID, since a guard came first.
   */
  matches(conditions: readonly Condition[], allows: boolean, always: boolean): Expression {
    const pair = allows ? this.#pair(conditions) : undefined;
    if (pair === undefined) return all(conditions.map((one) => this.#one(one, allows, always)));
    const others = conditions.filter((one) => !pair.includes(one));
    return all([this.#exactly(pair), ...others.map((one) => this.#one(one, allows, always))]);
  }

  /** All of the inventory that goes into what a condition comes to: as long as this is the same, so is that. */
  read(condition: Condition, allows: boolean): string {
    const { key } = condition;
    const restricted = this.#isRestricted(key);
    if (!restricted && isOfText(key)) return '';
    return `${this.#site} ${this.identities.known(key, this.#asked([condition], allows, restricted))}`;
  }

  #one(condition: Condition, allows: boolean, always: boolean): Expression {
    const byEffect = getOr(this.#matches, condition, () => new Map<boolean, Map<boolean, Expression>>());
    const byAlways = getOr(byEffect, allows, () => new Map<boolean, Expression>());
    return getOr(byAlways, always, () => this.#match(condition, allows, always));
  }

  #match(condition: Condition, allows: boolean, always: boolean): Expression {
    const floor = floorOf(condition, allows, this.#inventory.site.floor);
    const { yes, no } = this.#byText(condition, always, floor);
    return this.#corrected(allows ? yes : not(no), [condition], allows);
  }

  /** What the text of any ID tells, whether or not the inventory has it. */
  #byText(condition: Condition, always: boolean, floor: Trust | undefined): Known {
    const { key, values } = condition;
    const vouched = this.#vouched(key, floor);
    if (neverPresent(key, 'source')) return absent(condition);
    const present = always ? true : anyId;
    if (key === keys.spiffeId) return among(condition, present, any(values.flatMap(idLeaf)), vouched);
    if (key === keys.trustDomain)
      return among(condition, present, any(values.flatMap(trustDomainLeaves)), vouched);
    if (templateKeys.includes(key)) {
      const found = this.#templates.matches(key, values);
      return among(condition, this.#templates.present(key), found, vouched);
    }
    // An ID says all that there is to say of identities.
    if (key.startsWith('spiffe:')) return within(absent(condition), present);
    return this.#here.known(condition, floor, vouched);
  }

  /** Where a value of the key may be set by whom the namespace in the ID names, and by whose site (SRC8). */
  #vouched(key: string, floor: Trust | undefined): Expression {
    const rules = this.#inventory.site.attributeRules.filter((rule) =>
      rule.keys.some((pattern) => coversKey(pattern, key)),
    );
    return all(
      rules.map(({ from }) => {
        const named = (some: typeof from) =>
          this.#templates.matches(
            keys.k8sNamespace,
            some.flatMap(({ namespaces }) => namespaces.map((value): Pattern => ({ match: 'exact', value }))),
          );
        const everywhere = named(from.filter(({ site }) => site.length === 0));
        const here = from.filter(({ site }) => site.length > 0 && this.#here.fulfils(site, floor));
        return here.length === 0 ? everywhere : any([everywhere, all([this.#here.where, named(here)])]);
      }),
    );
  }

  /** The IDs of the inventory are asked one by one wherever it may know what their text does not tell. */
  #corrected(base: Expression, conditions: readonly Condition[], allows: boolean): Expression {
    const restricted = conditions.some(({ key }) => this.#isRestricted(key));
    if (!restricted && conditions.every(({ key }) => isOfText(key))) return base;
    const more: Expression[] = [];
    const fewer: Expression[] = [];
    for (const id of this.#asked(conditions, allows, restricted)) {
      const truths = conditions.map((one) =>
        this.identities.truth(id, one, floorOf(one, allows, this.#inventory.site.floor)),
      );
      const wanted = allows ? truths.every((one) => one === 'true') : !truths.includes('false');
      if (wanted === (foldId(base, id) === true)) continue;
      (wanted ? more : fewer).push({ of: 'id', match: 'exact', value: id });
    }
    const byTemplate = !restricted && conditions.every(({ key }) => templateKeys.includes(key));
    if (!byTemplate || more.length + fewer.length > 0)
      for (const { key } of conditions) this.resolved.add(key);
    return any([all([base, not(any(fewer))]), any(more)]);
  }

  /** IDs of which the inventory may tell otherwise than their text: as few as can be. */
  #asked(conditions: readonly Condition[], allows: boolean, restricted: boolean): readonly string[] {
    if (restricted) return this.identities.ids;
    if (conditions.every(({ key }) => templateKeys.includes(key))) return this.#outsideTemplates();
    const [only] = conditions;
    if (!allows || only === undefined || conditions.length > 1 || only.op !== 'in')
      return this.identities.ids;
    if (only.values.some(({ match }) => match !== 'exact')) return this.identities.ids;
    return this.identities.having(
      only.key,
      only.values.map(({ value }) => value),
    );
  }

  #outside: readonly string[] | undefined;

  /** IDs off which no template reads all that templates can tell. */
  #outsideTemplates(): readonly string[] {
    this.#outside ??= this.identities.ids.filter((id) =>
      templateKeys.some((key) => foldId(this.#templates.present(key), id) !== true),
    );
    return this.#outside;
  }

  #isRestricted(key: string): boolean {
    return this.#inventory.site.attributeRules.some((rule) =>
      rule.keys.some((pattern) => coversKey(pattern, key)),
    );
  }

  /** Namespace and account with a few exact values each: together they are whole IDs, which are found fastest. */
  #pair(conditions: readonly Condition[]): readonly Condition[] | undefined {
    const pair = conditions.filter(
      ({ key, op, values }) =>
        templateKeys.includes(key) && op === 'in' && values.every(({ match }) => match === 'exact'),
    );
    const [one, other] = pair;
    if (pair.length !== 2 || one?.key === other?.key) return undefined;
    const few = pair.reduce((product, { values }) => product * values.length, 1) <= mostCombined;
    return few && !pair.some(({ key }) => this.#isRestricted(key)) ? pair : undefined;
  }

  #exactly(pair: readonly Condition[]): Expression {
    const wanted = new Map(
      pair.map(({ key, values }) => [
        key,
        values.map(({ value }) => value).filter((value) => value !== '' && !value.includes('/')),
      ]),
    );
    return this.#corrected(this.#templates.exactly(wanted), pair, true);
  }
}

/** Nothing but the text of an ID says anything of these. */
function isOfText(key: string): boolean {
  return key.startsWith('spiffe:') || neverPresent(key, 'source');
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
