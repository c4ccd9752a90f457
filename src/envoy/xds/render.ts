import { createHash } from 'node:crypto';
import type { Exporter, Inbound } from '../export/exporter.ts';
import { ExportRefused } from '../export/refused.ts';
import { denyingRbac, rbacOf } from '../export/render.ts';
import type { Filter, FilterKind } from '../export/types.ts';
import { binaryOf } from '../proto/binary.ts';
import {
  type Extension,
  extensionName,
  isOurs,
  type ProxyName,
  positions,
  readExtensionName,
} from './names.ts';
import type { Resource } from './resource.ts';

export interface Rendered {
  readonly resources: readonly Resource[];
  /** Why some of them are not what the policies say now. */
  readonly problems: readonly string[];
}

/** What an export came to: a resource for each position, or why there is none. */
type Came = readonly Resource[] | ExportRefused;

interface Made {
  readonly came: Came;
  /** Of how many names of proxies it is what they have. */
  count: number;
}

/** What a proxy has under a name. */
interface Standing {
  readonly proxy: ProxyName;
  readonly content: string;
  /** What was last exported there, for when the next cannot be. */
  readonly good?: Resource;
}

/**
 * Filters for proxies, as the policies of the moment have them. What is made of the same is made once, in whatever sets
 * it is, and kept until the last proxy that was given it is given another or is in no document.
 */
export class Renderer {
  #exporter: Exporter;
  /** By what they are made of and the inbound's name, which is in them. */
  readonly #made = new Map<string, Made>();
  /** By proxy and name. */
  readonly #standings = new Map<string, Standing>();

  constructor(exporter: Exporter) {
    this.#exporter = exporter;
  }

  /** Exports that are kept. */
  get kept(): number {
    return this.#made.size;
  }

  use(exporter: Exporter): void {
    this.#exporter = exporter;
    for (const [key, { proxy }] of this.#standings) if (!exporter.knows(proxy)) this.#forget(key);
  }

  render(proxy: ProxyName | undefined, names: readonly string[]): Rendered {
    const problems: string[] = [];
    for (const name of names)
      if (!isOurs(name)) problems.push(`${name}: not answered, since no name of ours begins so`);
    const resources = names.filter(isOurs).map((name) => {
      const extension = readExtensionName(name);
      if (extension === undefined) {
        problems.push(`${name}: no name of an extension`);
        return denying('http', name, 'unknown-extension');
      }
      if (proxy === undefined) {
        problems.push(`${name}: the node does not say which dataplane it is`);
        return denying(extension.filter, name, 'unknown-dataplane');
      }
      const problem = (message: string) =>
        problems.push(`${proxy.mesh}/${proxy.dataplane} ${name}: ${message}`);
      if (!this.#exporter.knows(proxy)) {
        problem('no document gives the dataplane');
        return denying(extension.filter, name, 'unknown-dataplane');
      }
      try {
        return this.#resource(proxy, name, extension);
      } catch (error) {
        if (!(error instanceof ExportRefused)) throw error;
        problem(error.message);
        const outdated = error.message;
        const key = keyOf(proxy, name);
        if (error.refusal.code === 'which-inbound') {
          this.#forget(key);
          return denying(extension.filter, name, 'unknown-dataplane');
        }
        const had = this.#standings.get(key)?.good ?? denying(extension.filter, name, 'not-exportable');
        return { ...had, outdated };
      }
    });
    return { resources, problems };
  }

  #resource(proxy: ProxyName, name: string, { filter, inbound, position }: Extension): Resource {
    const { mesh, dataplane, envoy } = proxy;
    const asked = { mesh, dataplane, inbound };
    const key = keyOf(proxy, name);
    const content = `${this.#exporter.content(asked, filter)} ${envoy ?? ''} ${inbound}`;
    const known = this.#made.get(content);
    const made = known ?? { came: this.#make(asked, filter, envoy), count: 0 };
    if (known === undefined) this.#made.set(content, made);
    const { came } = made;
    const good = came instanceof ExportRefused ? this.#standings.get(key)?.good : came[position];
    // Before the other is forgotten: it may be the same.
    made.count++;
    this.#forget(key);
    this.#standings.set(key, { proxy, content, ...(good === undefined ? {} : { good }) });
    if (came instanceof ExportRefused) throw came;
    return came[position] as Resource;
  }

  #forget(key: string): void {
    const standing = this.#standings.get(key);
    if (standing === undefined) return;
    this.#standings.delete(key);
    const made = this.#made.get(standing.content);
    if (made !== undefined && --made.count === 0) this.#made.delete(standing.content);
  }

  #make(asked: Inbound, kind: FilterKind, envoy: string | undefined): Came {
    let filters: readonly Filter[];
    try {
      filters = this.#exporter.filters(asked, kind, envoy);
    } catch (error) {
      if (error instanceof ExportRefused) return error;
      throw error;
    }
    // A second filter that is not needed lets pass what the first one does: it has decided.
    return positions.map((position) => {
      const name = extensionName({ filter: kind, inbound: asked.inbound, position });
      return resourceOf(name, filters[position]?.typed_config ?? passing(kind));
    });
  }
}

function keyOf({ mesh, dataplane, envoy = '' }: ProxyName, name: string): string {
  return JSON.stringify([mesh, dataplane, envoy, name]);
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
