import { defaultTemplate, type Inventory } from '../../../pdp/model/inventory.ts';
import { oneOf, quote } from '../../../pdp/model/words.ts';

/** A trust domain and the template of the paths below it, or why there is none. */
export type Trust = { readonly name: string; readonly path: string } | { readonly reason: string };

/** Which trust domains the proxies of a mesh have where no MeshIdentity says so (SPEC MIG2). */
export class TrustDomains {
  readonly #inventory: Inventory;
  readonly #paths: ReadonlyMap<string, string>;

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
    this.#paths = new Map(inventory.site.trustDomains.map(({ name, template }) => [name, template]));
  }

  /** What the Mesh document says its trust domains are: all that there will be. */
  declared(mesh: string): readonly string[] {
    return this.#inventory.meshes.get(mesh)?.trustDomains ?? [];
  }

  of(mesh: string, zone: string | undefined): Trust {
    const usual = zone === undefined ? undefined : `${mesh}.${zone}.mesh.local`;
    const said = this.declared(mesh);
    const known = said.length > 0 ? said : this.#inventory.site.trustDomains.map(({ name }) => name);
    const name = known.length === 1 ? known[0] : usual;
    if (name === undefined)
      return known.length === 0
        ? { reason: 'neither the trust domain of its mesh nor its zone is known' }
        : { reason: `its zone is not known, so that its trust domain may be ${oneOf(known.map(quote))}` };
    if (known.length > 1 && !known.includes(name))
      return {
        reason: `its trust domain may be ${oneOf(known.map(quote))}, of which none is ${quote(name)}`,
      };
    return { name, path: this.path(name) };
  }

  /** In the words of a MeshIdentity. */
  path(trustDomain: string): string {
    const template = this.#paths.get(trustDomain) ?? defaultTemplate;
    return template.replace('{k8s:ns}', '{{ .Namespace }}').replace('{k8s:sa}', '{{ .ServiceAccount }}');
  }
}
