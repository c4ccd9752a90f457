import { neverPresent } from '../../../pdp/model/aliases.ts';
import { floorOf, matches } from '../../../pdp/model/condition.ts';
import { coversKey, type Inventory, type Peer } from '../../../pdp/model/inventory.ts';
import { isSiteKey } from '../../../pdp/model/of-site.ts';
import { isReserved } from '../../../pdp/model/peer-told.ts';
import { type Condition, keys, type Pattern } from '../../../pdp/model/rule.ts';
import { type Trust, trustLevels, trustRank, weaker } from '../../../pdp/model/trust.ts';
import { absent, among, idLeaf, type Known, trustDomainLeaves, unknown } from '../conditions.ts';
import { all, any, type Expression, not } from '../expression.ts';
import { claim, equals, issuedBy, isText, ofSubject, peersOf } from './token.ts';

/** What is said of a key by a peer, or of its site, as far as it is trusted: where it is there, and where it matches. */
interface Value {
  readonly present: Expression;
  readonly matches: (patterns: readonly Pattern[]) => Expression;
}

/**
 * What conditions on the source come to for a workload of which an exchange token tells (SPEC XCH2): said of the claims
 * and of the word of the peer that issued it, exactly as the PDP would decide with this token.
 */
export class TokenEvidence {
  readonly #inventory: Inventory;
  readonly #peers: readonly Peer[];

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
    this.#peers = peersOf(inventory);
  }

  /** Where a rule's conditions let it match. Without a token that holds there is no peer: a guard came first. */
  matches(conditions: readonly Condition[], allows: boolean): Expression {
    if (conditions.length === 0) return true;
    return any(
      this.#peers.map((peer) =>
        all([issuedBy(peer), ...conditions.map((one) => this.#match(one, allows, peer))]),
      ),
    );
  }

  #match(condition: Condition, allows: boolean, peer: Peer): Expression {
    const { yes, no } = this.#known(condition, peer, floorOf(condition, allows, this.#inventory.site.floor));
    return allows ? yes : not(no);
  }

  #known(condition: Condition, peer: Peer, floor: Trust | undefined): Known {
    const { key } = condition;
    if (neverPresent(key, 'source')) return absent(condition);
    const value = saidOf(key, peer, floor);
    if (value !== undefined)
      return among(
        condition,
        value.present,
        value.matches(condition.values),
        this.#vouched(key, peer, floor),
      );
    // Of its site a peer's record says all that there is.
    return isSiteKey(key) && reaches('configured', floor) ? absent(condition) : unknown;
  }

  /** Where a value of the key may be set by who the token says the workload is (SPEC SRC8). */
  #vouched(key: string, peer: Peer, floor: Trust | undefined): Expression {
    const rules = this.#inventory.site.attributeRules.filter((rule) =>
      rule.keys.some((pattern) => coversKey(pattern, key)),
    );
    const namespace = saidOf(keys.k8sNamespace, peer, floor);
    return all(
      rules.map(({ from }) =>
        any(
          from.map(({ site, namespaces }) => {
            const named = namespaces.map((value): Pattern => ({ match: 'exact', value }));
            const there = site.map((one) => holds(one, saidOf(one.key, peer, floor)));
            return all([namespace?.matches(named) ?? false, ...there]);
          }),
        ),
      ),
    );
  }
}

/** A site that does not say what it is is not one of those named, nor known to be another. */
function holds({ op, values }: Condition, value: Value | undefined): Expression {
  if (value === undefined || op === 'notExists') return false;
  if (op === 'exists') return value.present;
  const found = value.matches(values);
  return op === 'in' ? found : all([value.present, not(found)]);
}

/** Undefined: neither the token nor the record of the peer's site can have it. */
function saidOf(key: string, peer: Peer, floor: Trust | undefined): Value | undefined {
  const ofSite = peer.attributes.get(key);
  if (ofSite !== undefined) {
    const there = reaches('configured', floor);
    return {
      present: there,
      matches: (patterns) => there && patterns.some((one) => matches(one, ofSite)),
    };
  }
  if (key === keys.spiffeId) return subject(peer, floor, idLeaf);
  if (key === keys.trustDomain) return subject(peer, floor, trustDomainLeaves);
  return isReserved(key) ? undefined : stated(key, peer, floor);
}

function subject(
  { trustUpTo }: Peer,
  floor: Trust | undefined,
  leaves: (pattern: Pattern) => ReturnType<typeof trustDomainLeaves>,
): Value {
  const trusted = reaches(trustUpTo, floor);
  return {
    present: trusted && isText(['sub']),
    matches: (patterns) => trusted && any(patterns.flatMap(leaves).map(ofSubject)),
  };
}

function stated(key: string, peer: Peer, floor: Trust | undefined): Value {
  const path = ['attributes', key];
  const trusted = statedTrust(key, peer, floor);
  return {
    present: all([isText(path), trusted]),
    matches: (patterns) => all([any(patterns.map((one) => found(path, one))), trusted]),
  };
}

/** The lower of what the token says and what the peer's word counts for. */
function statedTrust(key: string, { trustUpTo }: Peer, floor: Trust | undefined): Expression {
  if (floor === undefined || trustRank[floor] === 0) return true;
  const enough = trustLevels.filter((level) => reaches(weaker(level, trustUpTo), floor));
  return any(enough.map((level) => equals(['trust', key], level)));
}

function reaches(trust: Trust, floor: Trust | undefined): boolean {
  return floor === undefined || trustRank[trust] >= trustRank[floor];
}

/** Envoy takes no empty prefix. */
function found(path: readonly string[], { match, value }: Pattern): Expression {
  return match === 'prefix' && value === '' ? isText(path) : claim(path, { match, value });
}
