import { effectOf } from '../../pdp/model/rule.ts';
import type { Loaded } from '../../policy/load.ts';

/**
 * Kuma's own authority puts tags into certificates, and a Mesh document as Kuma has it does not say so here: what its
 * permissions by tags allow would be denied, all of it, and an operator should hear of that before they do.
 */
export function unseenTagsWarning(
  { rules, inventory }: Pick<Loaded, 'rules' | 'inventory'>,
  mesh: string,
): string | undefined {
  if (inventory.meshes.get(mesh)?.certificates === 'tags') return undefined;
  const allows = rules.some(
    ({ list, tier }) => list?.id === `mtp/${mesh}` && tier !== null && effectOf(tier) === 'allow',
  );
  if (!allows) return undefined;
  return `what permissions by tags allow in the mesh ${mesh} is denied here: its clients are known by SPIFFE ID; where their certificates carry tags, as those of Kuma's own authority do, its Mesh says "certificates: tags"`;
}
