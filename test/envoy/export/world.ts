import { Exporter } from '../../../src/envoy/export/exporter.ts';
import { ExportRefused } from '../../../src/envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../../src/envoy/export/types.ts';
import type { HttpRequest, Peer, Result } from '../../../src/envoy/interpreter/evidence.ts';
import type { RbacFilter } from '../../../src/envoy/interpreter/filter.ts';
import { type Read, readPerRoute, readRbac } from '../../../src/envoy/interpreter/interpret.ts';
import { createEngine } from '../../../src/pdp/engine.ts';
import type { Asked } from '../../../src/pdp/governing.ts';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import type { Loaded } from '../../../src/policy/load.ts';
import { loadValues } from '../../policy/loading.ts';

/** A set that is both decided and exported. */
export interface Both {
  readonly loaded: Loaded;
  readonly engine: ReturnType<typeof createEngine>;
  readonly exporter: Exporter;
}

export function both(...documents: readonly unknown[]): Both {
  const loaded = loadValues(...documents);
  if (loaded.violations.length > 0) throw new Error(loaded.violations.map(formatViolation).join('\n'));
  const { rules, inventory, snapshot } = loaded;
  const engine = createEngine(rules, inventory, snapshot);
  return { loaded, engine, exporter: new Exporter(rules, inventory, snapshot) };
}

export function refusalOf(work: () => unknown): ExportRefused['refusal'] {
  try {
    work();
  } catch (error) {
    if (error instanceof ExportRefused) return error.refusal;
    throw error;
  }
  throw new Error('nothing was refused');
}

export interface Verdicts {
  readonly enforced: 'allow' | 'deny';
  /** As in the enforced world where there is no shadow of its own. */
  readonly shadow: 'allow' | 'deny';
  /** What the filter that decided reports. */
  readonly policy: string | undefined;
}

/** Filters in a row as the interpreter reads them: the first that denies ends it. */
export class Chain {
  readonly #filters: readonly RbacFilter[];

  constructor(filters: readonly RbacFilter[]) {
    this.#filters = filters;
  }

  static of({ filters }: Pick<Exported, 'filters'>): Chain {
    const rbac = filters.filter((one) => String(one.typed_config['@type']).endsWith('.rbac.v3.RBAC'));
    return new Chain(rbac.map((filter) => sound(readRbac(filter))));
  }

  /** What stands on a route, in place of the filters themselves. */
  static ofRoute(exported: Exported, route: string): Chain {
    const config = exported.routes.find((one) => one.route === route)?.typed_per_filter_config;
    if (config === undefined) return Chain.of(exported);
    const filters = exported.filters.map(({ name }) => config[name]?.['rbac']);
    return new Chain(filters.map((rbac) => sound(readPerRoute(rbac))));
  }

  decide(peer: Peer, request: HttpRequest | undefined): Verdicts {
    const seen = { peer, ...(request === undefined ? {} : { request }) };
    let shadow: Result | undefined;
    for (const filter of this.#filters) {
      const verdict = filter.decide(seen);
      shadow ??= verdict.shadow;
      if (verdict.enforced.action === 'DENY')
        return { enforced: 'deny', shadow: effect(shadow, 'deny'), policy: verdict.enforced.policy };
    }
    return { enforced: 'allow', shadow: effect(shadow, 'allow'), policy: undefined };
  }
}

function sound(read: Read): RbacFilter {
  if (read.filter === undefined) throw new Error(read.violations.map(formatViolation).join('\n'));
  return read.filter;
}

function effect(result: Result | undefined, otherwise: 'allow' | 'deny'): 'allow' | 'deny' {
  if (result === undefined) return otherwise;
  return result.action === 'DENY' ? 'deny' : 'allow';
}

export type { Asked, ExportOptions };
