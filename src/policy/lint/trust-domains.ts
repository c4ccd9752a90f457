import type { Inventory } from '../../pdp/model/inventory.ts';
import { keys, type Pattern } from '../../pdp/model/rule.ts';
import { trustDomainOf } from '../../pdp/model/spiffe-id.ts';
import { byText, nearest } from '../../pdp/model/text.ts';
import type { Ground } from './finding.ts';
import { idPath } from './prefixes.ts';

/** Trust domains of conditions that no document names and that look like one that some do. */
export function trustDomains(ground: Ground): void {
  const known = namedIn(ground.loaded.inventory);
  for (const rule of ground.loaded.rules) {
    const said = new Set<string>();
    for (const { side, key, values } of rule.when) {
      if (side !== 'source' || (key !== keys.spiffeId && key !== keys.trustDomain)) continue;
      for (const pattern of values) {
        const name = key === keys.spiffeId ? domainOf(pattern) : pattern.value;
        const near = name === undefined || known.has(name) ? undefined : meantBy(name, known);
        if (name === undefined || near === undefined || said.has(name)) continue;
        said.add(name);
        ground.report(rule.origin.document, idPath(ground, rule), {
          code: 'unknown-trust-domain',
          message: `no document names the trust domain ${JSON.stringify(name)}`,
          hint: `did you mean ${JSON.stringify(near)}? If not, name it in the trustDomains of the Mesh, the Site or a Peer`,
        });
      }
    }
  }
}

/** `eu-1` and `eu-2` are two, and so may be all words as short as that: one longer word of several is misspelt. */
function meantBy(name: string, known: ReadonlySet<string>): string | undefined {
  const words = wordsOf(name);
  return [...known].find((one) => {
    const others = wordsOf(one);
    const differ = words.filter((word, i) => word !== others[i]);
    const [wrong, right] = [differ[0], others.find((word, i) => word !== words[i])];
    if (others.length !== words.length || differ.length !== 1 || wrong === undefined) return false;
    return wrong.length > 3 && right !== undefined && nearest(wrong, [right]) !== undefined;
  });
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[-._]|(?<=\d)(?=\D)|(?<=\D)(?=\d)/);
}

/** A prefix may end before its trust domain does. */
function domainOf({ match, value }: Pattern): string | undefined {
  const name = trustDomainOf(value);
  return match === 'prefix' && value.split('/').length < 4 ? undefined : name;
}

function namedIn({ site, meshes, peers, workloads }: Inventory): ReadonlySet<string> {
  const names = [
    ...site.trustDomains.map(({ name }) => name),
    ...[...meshes.values()].flatMap((mesh) => mesh.trustDomains),
    ...[...(peers?.values() ?? [])].flatMap((peer) => peer.trustDomains),
    ...workloads.flatMap(({ spiffeId }) => (spiffeId === undefined ? [] : trustDomainOf(spiffeId))),
  ];
  return new Set(names.sort(byText));
}
