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
  const nameOrders = new Map<string, string>();
  for (const header of headers) {
    const { nameOrder } = header.body as Shape;
    if (header.kind === 'Mesh' && nameOrder !== undefined) nameOrders.set(header.name, nameOrder);
  }
  return [
    ...permissionRules(
      headers.filter((header) => header.kind === 'MeshTrafficPermission'),
      nameOrders,
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
