import { accessRules } from './access.ts';
import { permissionRules } from './permissions.ts';
import type { TwinRule } from './rule.ts';
import { headerOf, type Shape } from './shapes.ts';

/** [AP5] [TIER2] All rules, in policy order and then by position. */
export function rulesOf(shapes: readonly Shape[]): TwinRule[] {
  const headers = shapes.map(headerOf);
  const hierarchical = ['site:location', 'spiffe:id'];
  for (const header of headers) {
    if (header.kind !== 'Site') continue;
    const body = header.body as Shape;
    const sites = headers.filter((other) => other.kind === 'Site');
    if (sites.length === 1 || body.local === true) hierarchical.push(...(body.hierarchical ?? []));
  }
  const largerWins: string[] = [];
  for (const header of headers) {
    if (header.kind === 'Mesh' && (header.body as Shape).nameOrder === 'larger-wins')
      largerWins.push(header.name);
  }
  return [
    ...permissionRules(
      headers.filter((header) => header.kind === 'MeshTrafficPermission'),
      largerWins,
    ),
    ...accessRules(
      headers.filter((header) => header.kind === 'PrivilegedAccessPolicy'),
      hierarchical,
    ),
    ...accessRules(
      headers.filter((header) => header.kind === 'AccessPolicy'),
      hierarchical,
    ),
  ];
}
