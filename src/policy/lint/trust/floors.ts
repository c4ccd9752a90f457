import { valueAt } from '../../../pdp/model/fields.ts';
import type { Inventory } from '../../../pdp/model/inventory.ts';
import { isOfSite } from '../../../pdp/model/of-site.ts';
import { type Condition, effectOf, isOwnKey, keys, type Rule } from '../../../pdp/model/rule.ts';
import { stronger, type Trust, trustRank, weaker } from '../../../pdp/model/trust.ts';
import type { Path } from '../../../pdp/model/violation.ts';
import { type Ground, some } from '../finding.ts';
import { allows } from '../inventory.ts';
import { siteDocument } from './site.ts';

/** Floors that no evidence reaches: what asks for them is unknown for everybody, whatever they are. */
export function floors(ground: Ground): void {
  const { rules, inventory } = ground.loaded;
  const reach = reachIn(inventory);
  const shutOut = new Map<string, Trust>();
  const said = new Set<string>();
  for (const rule of rules)
    for (const condition of rule.when) {
      const { side, key, floor } = condition;
      if (side === 'request' || isOwnKey(key)) continue;
      const best = reach(condition);
      if (floor === undefined) {
        if (side === 'source' && allows(rule) && trustRank[best] < trustRank[inventory.site.floor])
          shutOut.set(key, best);
        continue;
      }
      if (trustRank[best] >= trustRank[floor]) continue;
      const { document } = rule.origin;
      const path = side === 'source' ? rule.origin.path : destinationPath(ground, rule);
      const name = `${document} ${path.join('/')} ${side} ${key} ${floor}`;
      if (said.has(name)) continue;
      said.add(name);
      ground.report(document, path, {
        code: 'floor-out-of-reach',
        message: `asks for ${JSON.stringify(key)} with the trust ${floor}, and no evidence gives it more than ${best}: ${effect(rule)}`,
        hint: `write "trust: ${best}", or less`,
      });
    }
  ofSite(ground, shutOut);
}

/** What the floor of the site shuts out is said once, where the floor stands. */
function ofSite(ground: Ground, shutOut: ReadonlyMap<string, Trust>): void {
  const site = siteDocument(ground);
  if (site === undefined || shutOut.size === 0) return;
  const least = [...shutOut.values()].reduce(weaker);
  ground.report(site.document, [...site.spec, 'floor'], {
    code: 'floor-out-of-reach',
    message: `no evidence gives ${some([...shutOut.keys()].sort())} that much trust: allows that read it and name no floor allow nobody`,
    hint: `write "floor: ${least}", and ask for more where more can be had`,
  });
}

/** Rules are pairs out of `from` and `to`, and say where in `from` they stand (SPEC AP2). */
function destinationPath({ documents }: Ground, { origin }: Rule): Path {
  const to = [...origin.path.slice(0, -2), 'to'];
  const entries = valueAt(documents[origin.document]?.value, to);
  return Array.isArray(entries) ? [...to, origin.index % entries.length] : origin.path;
}

function effect(rule: Rule): string {
  return effectOf(rule.tier ?? rule.shadow) === 'allow'
    ? 'it allows nobody'
    : 'it denies whoever meets the rest of it';
}

/** The best that evidence can give a key: certificates, tokens, the API server, this site, and peers as far as they count. */
function reachIn({ workloads, peers }: Inventory): (condition: Condition) => Trust {
  const stated = new Set(
    workloads.flatMap(({ spiffeId, attributes }) => (spiffeId === undefined ? [] : [...attributes.keys()])),
  );
  const word = [...(peers?.values() ?? [])].reduce<Trust>(
    (best, { trustUpTo }) => stronger(best, trustUpTo),
    'reported',
  );
  return ({ side, key }) => {
    if (side === 'destination') return 'configured';
    if (proved.has(key) || isOfSite(key)) return 'attested';
    if (key.startsWith('k8s:')) return 'observed';
    return stated.has(key) && trustRank[word] < trustRank.observed ? 'observed' : word;
  };
}

/** On a certificate or in a token. */
const proved: ReadonlySet<string> = new Set([
  keys.spiffeId,
  keys.trustDomain,
  keys.k8sNamespace,
  keys.k8sServiceAccount,
  keys.k8sPod,
]);
