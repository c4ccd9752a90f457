import { type Asked, type Governing, Governor } from '../../pdp/governing.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Rule } from '../../pdp/model/rule.ts';
import { policyReports, resolvedKeys } from './classes.ts';
import type { Meaning } from './clauses.ts';
import { all } from './expression.ts';
import { insist, insistOnCount, insistOnSize } from './insist.ts';
import { reliances, trustDomainsOf } from './reliances.ts';
import { type Around, filtersOf, hasShadow, routeConfig } from './render.ts';
import { requestMatches } from './request-parts.ts';
import { Routes } from './routes.ts';
import { sizeOf } from './size.ts';
import { SvidEvidence } from './svid.ts';
import { tagMatches } from './tag-evidence.ts';
import { destinationName, filterFor, find } from './target.ts';
import { byText } from './text.ts';
import type { Exported, ExportOptions } from './types.ts';
import { formFor, parseVersion, provedVersion, requirePrincipals, showVersion } from './version.ts';

/** What the routes of an HTTP listener are to be: each with its own configuration, or none that anybody knows. */
export type RouteMode = 'each' | 'unknown';

/** Exports destinations of one set, one after another. Nothing of a policy is read here but its rules. */
export class Exporter {
  readonly #inventory: Inventory;
  readonly #snapshot: string;
  readonly #governor: Governor;
  readonly #evidence: SvidEvidence;
  readonly #routes: Routes;
  /** Destinations that the same rules govern alike have the same filters. */
  readonly #kept = new Map<string, ReturnType<typeof filtersOf>>();

  /** Rules come in policy order, then by position. */
  constructor(rules: readonly Rule[], inventory: Inventory, snapshot: string) {
    this.#inventory = inventory;
    this.#snapshot = snapshot;
    this.#governor = new Governor(rules, inventory);
    this.#evidence = new SvidEvidence(inventory);
    this.#routes = new Routes(rules);
  }

  /** Throws `ExportRefused` with why there is no export. */
  export(asked: Asked, options: ExportOptions = {}, routeMode: RouteMode = 'each'): Exported {
    const target = find(asked, this.#inventory);
    const mesh = 'mesh' in asked ? asked.mesh : undefined;
    const tags = mesh !== undefined && this.#inventory.meshes.get(mesh)?.certificates === 'tags';
    const filter = filterFor(target, options.filter);
    const version = parseVersion(options.targetVersion ?? provedVersion);
    const chosen = formFor(tags && options.form !== 'table' ? 'list' : options.form, version);
    const literal = chosen.form === 'table' && options.shadow === 'paper';
    const since = tags && !literal ? requirePrincipals(version) : chosen.since;
    const named = routeMode === 'each' && filter === 'http' && mesh !== undefined;
    const governing = this.#governs({ ...asked, ...(named ? { route: this.#routes.other } : {}) });
    const around: Around = {
      filter,
      form: chosen.form,
      shadow: options.shadow ?? 'corrected',
      minimise: options.minimise ?? true,
      ...(mesh === undefined ? {} : { mesh }),
      tags,
      meaning: this.#meaning(tags, filter === 'http' && governing.protocol !== 'tcp', governing.inbound),
    };
    const routed = named ? this.#routes.of((route) => this.#governs({ ...asked, route }), governing) : [];
    const everywhere = [governing, ...routed.map((one) => one.governing)];
    for (const { entries } of everywhere) insistOnCount(entries.length);
    const policies = policyReports(everywhere, {
      filter,
      attributes: options.attributes ?? 'inventory',
      tags,
      literal,
      snapshot: this.#snapshot,
    });
    insist(policies, options);
    const filters = this.#filters(governing, around);
    const routes = routed.map((one) => routeConfig(one.route, this.#filters(one.governing, around)));
    const size = sizeOf(filters);
    insistOnSize(size, options.maxBytes);
    const names = filters.map(({ name }) => name);
    const resolved = everywhere.flatMap(({ entries }) => entries.flatMap((one) => resolvedKeys(one, tags)));
    const report = {
      destination: destinationName(target),
      snapshot: this.#snapshot,
      filter,
      form: chosen.form,
      shadow: around.shadow,
      target_version: showVersion(version),
      policies,
      relies_on: reliances(everywhere, {
        filter,
        filters: names,
        routes: routes.map(({ route }) => route),
        tags,
        trustDomains: trustDomainsOf(this.#inventory, mesh, everywhere, tags),
        resolved: [...new Set(resolved)].sort(byText),
        snapshot: this.#snapshot,
        since: showVersion(since),
      }),
      shared_identities: this.#evidence.identities.shared,
      size,
      shadow_equals_enforced: !hasShadow(filters),
      warnings: [
        ...(chosen.warning === undefined ? [] : [chosen.warning]),
        ...(tags && options.form === 'tree' ? [noTrees] : []),
      ],
    };
    return { filters, routes, report };
  }

  #governs(asked: Asked): Governing {
    const governing = this.#governor.of(asked);
    if (governing === undefined) throw new Error('a destination that was found is not governed');
    return governing;
  }

  #meaning(tags: boolean, shown: boolean, always: boolean): Meaning {
    return ({ when }, effect) => {
      const allows = effect === 'allow';
      const source = when.filter(({ side }) => side === 'source');
      const request = when.filter(({ side }) => side === 'request');
      const peer = tags
        ? tagMatches(source, allows, this.#inventory.site.floor)
        : this.#evidence.matches(source, allows, always);
      return all([peer, requestMatches(request, allows, shown)]);
    };
  }

  #filters(governing: Governing, around: Around): ReturnType<typeof filtersOf> {
    const { meaning: _, ...rest } = around;
    const signature = JSON.stringify([
      rest,
      governing.inbound,
      governing.protocol,
      governing.readsPaths,
      governing.entries.map(({ rank }) => rank),
    ]);
    let filters = this.#kept.get(signature);
    if (filters === undefined) {
      filters = filtersOf(governing, around);
      const [oldest] = this.#kept.keys();
      if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest);
      this.#kept.set(signature, filters);
    }
    return filters;
  }
}

/** Filters are large, and a set has many destinations. */
const mostKept = 16;

const noTrees =
  'the form is list, not tree: certificates of tags are matched by principals, which have no trees';
