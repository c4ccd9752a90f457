import {
  type Dataplane,
  type Inventory,
  nameWith,
  otherNameOf,
  ownNameOf,
} from '../../pdp/model/inventory.ts';

/**
 * The mesh of a dataplane that is named without one, where it is not `default`: that has precedence, also where several
 * of its dataplanes have the name. Undefined as well where no mesh or more than one has it, which is then said of all.
 */
export function meshMeant(
  { dataplanes }: Pick<Inventory, 'dataplanes'>,
  name: string,
  namespace?: string,
): string | undefined {
  const names = [name, ...(namespace === undefined ? [] : [nameWith(namespace, name)])];
  const isCalled = (one: Dataplane) =>
    [one.name, ownNameOf(one), otherNameOf(one)].some((own) => own !== undefined && names.includes(own));
  const meshes = new Set<string>();
  for (const one of dataplanes.values()) if (isCalled(one)) meshes.add(one.mesh);
  const [only] = meshes;
  return meshes.size === 1 && only !== 'default' ? only : undefined;
}
