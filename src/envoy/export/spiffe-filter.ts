import type { Governing, World } from '../../pdp/governing.ts';
import { effectOf, type Tier } from '../../pdp/model/rule.ts';
import { type Clause, clausesOf, type Meaning } from './clauses.ts';
import { exchangeGuards } from './exchange/filters.ts';
import type { Exchange } from './exchange/token.ts';
import { asksForWholeRequests, pathGuard, requestGuard, sourceGuard } from './guards.ts';
import { itemsOf } from './items.ts';
import type { JsonObject } from './json.ts';
import { action, defaultName, type Entry, listStages, matcherOf, type Stage, treeStages } from './matcher.ts';
import { minimised } from './minimise.ts';
import { paperEntry, paperShadow } from './paper.ts';
import type { Form, ShadowForm } from './types.ts';

/** RBAC by matchers, for peers with X509-SVIDs: guards, then tiers in order, then a deny by default. */

export interface Rendering {
  readonly form: Form;
  readonly shadow: ShadowForm;
  readonly minimise: boolean;
  /** Whether the filter sees paths. */
  readonly http: boolean;
  /** Clients come with a token of this exchange. */
  readonly exchange?: Exchange;
}

export interface Matchers {
  readonly matcher: JsonObject;
  /** Not there where it would say what the enforced one says. */
  readonly shadow_matcher?: JsonObject;
}

const tiers: readonly Tier[] = [0, 1, 2, 3, 4];

export function spiffeMatchers(governing: Governing, meaning: Meaning, rendering: Rendering): Matchers {
  const matcher = matcherFor('enforced', governing, meaning, rendering);
  if (rendering.shadow === 'paper') {
    const guards = guardsOf('shadow', governing, rendering);
    const clauses = clausesOf(governing, 'enforced', meaning);
    return { matcher, shadow_matcher: paperShadow(guards, clauses) };
  }
  if (sameWorlds(governing)) return { matcher };
  return { matcher, shadow_matcher: matcherFor('shadow', governing, meaning, rendering) };
}

export function sameWorlds({ entries, readsPaths }: Governing): boolean {
  return readsPaths.length !== 1 && entries.every(({ worlds }) => worlds.length === 2);
}

function matcherFor(world: World, governing: Governing, meaning: Meaning, rendering: Rendering): JsonObject {
  const { form, shadow, minimise } = rendering;
  const guards = guardsOf(world, governing, rendering);
  const clauses = clausesOf(governing, world, meaning);
  if (shadow === 'paper' && form === 'list') return paperList(guards, clauses);
  const all = tiers.map((tier) => clauses.filter((one) => one.tier === tier).flatMap(itemsOf));
  const kept = minimise ? minimised(all) : all;
  const render = form === 'tree' ? treeStages : listStages;
  const stages = kept.flatMap((items, tier) => render(items, effectOf(tier as Tier), minimise));
  const parts: readonly Stage[] = [{ kind: 'list', entries: guards }, ...stages];
  return matcherOf(form === 'tree' ? parts : [joined(parts)], action(defaultName, 'deny'));
}

function guardsOf(world: World, governing: Governing, { http, exchange }: Rendering): readonly Entry[] {
  const { inbound, readsPaths } = governing;
  // Without a token nobody is let in, and it is bound to a certificate.
  const source = sourceGuard(inbound || exchange !== undefined);
  const token = exchange === undefined ? [] : exchangeGuards(exchange);
  const request = asksForWholeRequests(governing, http) ? [requestGuard()] : [];
  const path = http && readsPaths.includes(world) ? [pathGuard()] : [];
  return [source, ...token, ...request, ...path];
}

function joined(stages: readonly Stage[]): Stage {
  return { kind: 'list', entries: stages.flatMap((one) => (one.kind === 'list' ? one.entries : [])) };
}

/** One matcher for each tier, as the paper draws it: denies, then allows and behind them those with a shadow deny. */
function paperList(guards: readonly Entry[], clauses: readonly Clause[]): JsonObject {
  const entries = tiers.flatMap((tier): readonly Entry[] => {
    const mine = clauses.filter((one) => one.tier === tier);
    if (mine.length === 0) return [];
    return [paperEntry(mine, effectOf(tier))];
  });
  return matcherOf([{ kind: 'list', entries: [...guards, ...entries] }], action(defaultName, 'deny'));
}
