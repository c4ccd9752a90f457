import { createHash } from 'node:crypto';
import type { Exporter } from '../export/exporter.ts';
import { ExportRefused } from '../export/refused.ts';
import { denyingRbac, rbacOf } from '../export/render.ts';
import type { Filter, FilterKind } from '../export/types.ts';
import { binaryOf } from '../proto/binary.ts';
import { type Extension, type ProxyName, readExtensionName } from './names.ts';
import type { Resource } from './resource.ts';

export interface Rendered {
  readonly resources: readonly Resource[];
  /** Why some of them are not what the policies say now. */
  readonly problems: readonly string[];
}

/** Filters for proxies, as the policies of the moment have them. */
export class Renderer {
  #exporter: Exporter;
  /** What was last exported under a name, for when the next cannot be. */
  readonly #good = new Map<string, Resource>();
  /** By filter, so that what proxies share is made once. */
  #made = new WeakMap<Filter, Resource>();

  constructor(exporter: Exporter) {
    this.#exporter = exporter;
  }

  use(exporter: Exporter): void {
    this.#exporter = exporter;
    this.#made = new WeakMap();
  }

  render(proxy: ProxyName | undefined, names: readonly string[]): Rendered {
    const problems: string[] = [];
    const resources = names.map((name) => {
      const extension = readExtensionName(name);
      if (extension === undefined) {
        problems.push(`${name}: no name of an extension`);
        return denying('http', name, 'unknown-extension');
      }
      if (proxy === undefined) {
        problems.push(`${name}: the node does not say which dataplane it is`);
        return denying(extension.filter, name, 'unknown-dataplane');
      }
      try {
        const filter = this.#filter(proxy, extension);
        const resource = this.#resource(filter, name, extension.filter);
        this.#good.set(keyOf(proxy, name), resource);
        return resource;
      } catch (error) {
        if (!(error instanceof ExportRefused)) throw error;
        problems.push(`${proxy.mesh}/${proxy.dataplane} ${name}: ${error.message}`);
        const { code } = error.refusal;
        if (code === 'unknown-destination' || code === 'which-inbound')
          return denying(extension.filter, name, 'unknown-dataplane');
        return this.#good.get(keyOf(proxy, name)) ?? denying(extension.filter, name, 'not-exportable');
      }
    });
    return { resources, problems };
  }

  #filter({ mesh, dataplane }: ProxyName, { filter, inbound, position }: Extension): Filter | undefined {
    const asked = { mesh, dataplane, inbound };
    return this.#exporter.export(asked, { filter }, 'unknown').filters[position];
  }

  /** A second filter that is not needed lets pass what the first one does: it has decided. */
  #resource(filter: Filter | undefined, name: string, kind: FilterKind): Resource {
    if (filter === undefined) return resourceOf(name, passing(kind));
    const known = this.#made.get(filter);
    if (known?.name === name) return known;
    const made = resourceOf(name, filter.typed_config);
    this.#made.set(filter, made);
    return made;
  }
}

function keyOf({ mesh, dataplane }: ProxyName, name: string): string {
  return JSON.stringify([mesh, dataplane, name]);
}

function resourceOf(name: string, typed_config: Filter['typed_config']): Resource {
  const bytes = binaryOf('envoy.config.core.v3.TypedExtensionConfig', { name, typed_config });
  return { name, bytes, version: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
}

/** A filter without rules allows. */
function passing(kind: FilterKind): Filter['typed_config'] {
  return rbacOf(kind, {});
}

function denying(kind: FilterKind, name: string, why: string): Resource {
  return { ...resourceOf(name, denyingRbac(kind, why)), denies: why };
}
