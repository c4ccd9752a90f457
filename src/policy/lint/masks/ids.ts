import { defaultTemplate, type Inventory } from '../../../pdp/model/inventory.ts';
import { spiffeIdFault } from '../../../pdp/model/spiffe-id.ts';

/** IDs that begin with a value: those first that the template of their trust domain fits, as workloads have them. */
export class LikelyIds {
  readonly #templates = new Map<string, string>();

  constructor({ site, meshes }: Inventory) {
    for (const { trustDomains } of meshes.values())
      for (const name of trustDomains) this.#templates.set(name, defaultTemplate);
    for (const { name, template } of site.trustDomains) this.#templates.set(name, template);
  }

  /** `known` has the values that the client is to have of keys in the template. */
  from(start: string, known: (key: string) => string | undefined): readonly string[] {
    const value = start.replace(/\/$/, '');
    const likely = this.#completed(value, known);
    return [...(likely === undefined ? [] : [likely]), start, value, `${start}x`, `${value}/x`].filter(
      (one) => spiffeIdFault(one) === undefined,
    );
  }

  #completed(value: string, known: (key: string) => string | undefined): string | undefined {
    const [, , trustDomain = '', ...path] = value.split('/');
    const wanted = this.#templates.get(trustDomain)?.split('/').slice(1);
    if (wanted === undefined) return undefined;
    const rest = wanted
      .slice(path.length)
      .map((part) => (part.startsWith('{') ? (known(part.slice(1, -1)) ?? 'x') : part));
    return [value, ...rest].join('/');
  }
}
