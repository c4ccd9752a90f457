import { type Asked, type Governed, type Governing, Governor } from '../../pdp/governing.ts';
import { findDataplane, type Inventory } from '../../pdp/model/inventory.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { policyReports, resolvedKeys } from './classes.ts';
import type { Meaning } from './clauses.ts';
import { Contents } from './content.ts';
import { TokenEvidence } from './exchange/claims.ts';
import { exchangeFor } from './exchange/wanted.ts';
import { all, type Expression } from './expression.ts';
import { insist, insistOnCount, insistOnSize } from './insist.ts';
import { reliances, trustDomainsOf, trustDomainsOfPeers } from './reliances.ts';
import { type Around, filtersOf, hasShadow, routeConfig } from './render.ts';
import { requestMatches } from './request-parts.ts';
import { type Routed, Routes } from './routes.ts';
import { sizeOf } from './size.ts';
import { SvidEvidence } from './svid.ts';
import { tagMatches } from './tag-evidence.ts';
import { destinationName, filterFor, find } from './target.ts';
import type { Exported, ExportOptions, Filter, FilterKind } from './types.ts';
import {
  formFor,
  parseVersion,
  provedVersion,
  requirePrincipals,
  requireTokens,
  showVersion,
} from './version.ts';
import { noRoutes, noTrees, papersShadow } from './warnings.ts';

/** What the routes of an HTTP listener are to be: each with its own configuration, or none that anybody knows. */
export type RouteMode = 'each' | 'unknown';

/** An inbound of a dataplane, by its name or its port. */
export interface Inbound {
  readonly mesh: string;
  readonly dataplane: string;
  readonly inbound: string;
}

/** Exports destinations of one set, one after another. Nothing of a policy is read here but its rules. */
export class Exporter {
  readonly #inventory: Inventory;
  readonly #snapshot: string;
  readonly #governor: Governor;
  readonly #evidence: SvidEvidence;
  readonly #tokens: TokenEvidence;
  readonly #routes: Routes;
  /** Destinations that the same rules govern alike are exported alike. */
  readonly #kept = new Map<string, Exported>();
  /** By what a peer and a filter show: what rules come to. */
  readonly #meanings = new Map<string, Meaning>();
  readonly #contents: Contents;
  /** By filter and likeness: what they are made of. */
  readonly #likeContents = new Map<string, string>();

  /** Rules come in policy order, then by position. */
  constructor(rules: readonly Rule[], inventory: Inventory, snapshot: string) {
    this.#inventory = inventory;
    this.#snapshot = snapshot;
    this.#governor = new Governor(rules, inventory);
    this.#evidence = new SvidEvidence(inventory);
    this.#tokens = new TokenEvidence(inventory);
    this.#routes = new Routes(rules);
    this.#contents = new Contents(this.#evidence);
  }

  knows({ mesh, dataplane }: Pick<Inbound, 'mesh' | 'dataplane'>): boolean {
    return findDataplane(this.#inventory, mesh, dataplane) !== undefined;
  }

  /** Where it is equal, in this set or another, `filters` gives equal ones or throws alike. May throw as that does. */
  content(asked: Inbound, filter: FilterKind): string {
    filterFor(find(asked, this.#inventory), filter);
    const { mesh } = asked;
    const likeness = JSON.stringify([mesh, filter, this.#governor.likeness(asked)]);
    let content = this.#likeContents.get(likeness);
    if (content === undefined) {
      const tags = this.#inventory.meshes.get(mesh)?.certificates === 'tags';
      content = this.#contents.of(this.#governs(asked), { mesh, tags, filter });
      this.#likeContents.set(likeness, content);
    }
    return content;
  }

  /**
   * Of an inbound, where nobody knows which route a request takes. They are exchanged one after the other: the first
   * alone decides all, and whatever is behind it lets pass what its own policies do.
   */
  filters(asked: Inbound, filter: FilterKind, targetVersion?: string): readonly Filter[] {
    const options = { filter, ...(targetVersion === undefined ? {} : { targetVersion }) };
    return this.#export(asked, options, 'unknown', true).filters;
  }

  /** Throws `ExportRefused` with why there is no export. */
  export(asked: Asked, options: ExportOptions = {}, routeMode: RouteMode = 'each'): Exported {
    return this.#export(asked, options, routeMode, false);
  }

  #export(asked: Asked, options: ExportOptions, routeMode: RouteMode, alone: boolean): Exported {
    const target = find(asked, this.#inventory);
    const mesh = 'mesh' in asked ? asked.mesh : undefined;
    const tags = mesh !== undefined && this.#inventory.meshes.get(mesh)?.certificates === 'tags';
    const filter = filterFor(target, options.filter);
    const version = parseVersion(options.targetVersion ?? provedVersion);
    const chosen = formFor(tags && options.form !== 'table' ? 'list' : options.form, version);
    const literal = chosen.form === 'table' && options.shadow === 'paper';
    const exchange = exchangeFor(target, filter, options, this.#inventory);
    const since =
      exchange !== undefined
        ? requireTokens(version)
        : tags && !literal
          ? requirePrincipals(version)
          : chosen.since;
    const named = routeMode === 'each' && filter === 'http' && mesh !== undefined;
    const governing = this.#governs({ ...asked, ...(named ? { route: this.#routes.other } : {}) });
    const routed = named ? this.#routes.of((route) => this.#governs({ ...asked, route }), governing) : [];
    const unheard =
      named || mesh === undefined
        ? []
        : this.#routes.unheard((route) => this.#governs({ ...asked, route }), governing);
    const everywhere = [governing, ...routed.map((one) => one.governing)];
    const circumstances = [
      mesh,
      tags,
      filter,
      chosen,
      since,
      options,
      routed.map(({ route }) => route),
      unheard,
      exchange?.service,
    ];
    const signature = JSON.stringify([...circumstances, everywhere.map(signatureOf)]);
    const around: Around = {
      filter,
      form: chosen.form,
      shadow: options.shadow ?? 'corrected',
      minimise: options.minimise ?? true,
      ...(mesh === undefined ? {} : { mesh }),
      tags,
      alone,
      meaning: this.#meaning({
        tags,
        tokens: exchange !== undefined,
        shown: filter === 'http' && governing.protocol !== 'tcp',
        always: governing.inbound,
      }),
      ...(exchange === undefined ? {} : { exchange }),
    };
    let exported = alone ? undefined : this.#kept.get(signature);
    if (exported === undefined) {
      exported = this.#exported(governing, routed, around, options, {
        literal,
        version: showVersion(version),
        since: showVersion(since),
        warnings: [...(chosen.warning === undefined ? [] : [chosen.warning]), ...noRoutes(unheard)],
      });
      if (!alone) this.#keep(signature, exported);
    }
    return { ...exported, report: { ...exported.report, destination: destinationName(target) } };
  }

  #keep(signature: string, exported: Exported): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(signature, exported);
  }

  #exported(
    governing: Governing,
    routed: readonly Routed[],
    around: Around,
    options: ExportOptions,
    { literal, version, since, warnings: said }: Chosen,
  ): Exported {
    const { filter, tags, mesh, exchange } = around;
    const everywhere = [governing, ...routed.map((one) => one.governing)];
    for (const { entries } of everywhere) insistOnCount(entries.length);
    const snapshot = this.#snapshot;
    const attributes = options.attributes ?? 'inventory';
    const tokens = exchange !== undefined;
    const policies = policyReports(everywhere, {
      filter,
      attributes,
      tags,
      tokens,
      literal,
      snapshot,
    });
    insist(policies, options);
    const filters = filtersOf(governing, around);
    const routes = routed.map((one) => routeConfig(one.route, filtersOf(one.governing, around)));
    const size = sizeOf(filters);
    insistOnSize(size, options.maxBytes);
    const resolved = tags
      ? []
      : everywhere.flatMap(({ entries }) => entries.flatMap((one) => resolvedKeys(one, tokens)));
    const relies_on = reliances(everywhere, {
      filter,
      filters: filters.map(({ name }) => name),
      routes: routes.map(({ route }) => route),
      tags,
      trustDomains:
        exchange === undefined
          ? trustDomainsOf(this.#inventory, mesh, everywhere, tags)
          : trustDomainsOfPeers(exchange.peers),
      ...(exchange === undefined ? {} : { exchange }),
      resolved: [...new Set(resolved)].sort(byText),
      snapshot,
      since,
    });
    const asked = everywhere.flatMap(({ entries }) => entries.flatMap(({ when }) => when));
    const warnings = [...said];
    if (tags && options.form === 'tree') warnings.push(noTrees);
    if (around.shadow === 'paper' && hasShadow(filters)) warnings.push(papersShadow);
    const report = {
      destination: '',
      snapshot,
      filter,
      form: around.form,
      shadow: around.shadow,
      target_version: version,
      policies,
      relies_on,
      shared_identities: tags || tokens ? [] : this.#evidence.identities.sharedIn(asked),
      size,
      shadow_equals_enforced: !hasShadow(filters),
      warnings,
    };
    return { filters, routes, report };
  }

  #governs(asked: Asked): Governing {
    const governing = this.#governor.of(asked);
    if (governing === undefined) throw new Error('a destination that was found is not governed');
    return governing;
  }

  #meaning(seen: Evidence): Meaning {
    const name = JSON.stringify(seen);
    let meaning = this.#meanings.get(name);
    if (meaning === undefined) {
      meaning = remembered((governed, effect) => this.#mean(governed, effect === 'allow', seen));
      this.#meanings.set(name, meaning);
    }
    return meaning;
  }

  #mean({ when }: Governed, allows: boolean, { tags, tokens, shown, always }: Evidence): Expression {
    const source = when.filter(({ side }) => side === 'source');
    const request = when.filter(({ side }) => side === 'request');
    const client = tags
      ? tagMatches(source, allows)
      : tokens
        ? this.#tokens.matches(source, allows)
        : this.#evidence.matches(source, allows, always);
    return all([client, requestMatches(request, allows, shown)]);
  }
}

/** What is known of a client, and of its request. */
interface Evidence {
  readonly tags: boolean;
  /** Tokens of peers, in the place of certificates. */
  readonly tokens: boolean;
  /** Whether method and path are. */
  readonly shown: boolean;
  /** There is no client without an ID. */
  readonly always: boolean;
}

interface Chosen {
  readonly literal: boolean;
  readonly version: string;
  readonly since: string;
  readonly warnings: readonly string[];
}

function remembered(meaning: Meaning): Meaning {
  const known = { allow: new WeakMap<Governed, Expression>(), deny: new WeakMap<Governed, Expression>() };
  return (governed, effect) => {
    let when = known[effect].get(governed);
    if (when === undefined) {
      when = meaning(governed, effect);
      known[effect].set(governed, when);
    }
    return when;
  };
}

function signatureOf({ entries, inbound, protocol, readsPaths }: Governing): readonly unknown[] {
  const open = entries.flatMap(({ rank, open: unknown }) => unknown.map(({ key }) => [rank, key]));
  return [inbound, protocol, readsPaths, entries.map(({ rank }) => rank), open];
}

/** Filters are large, and a set has many destinations. */
const mostKept = 16;
