import { open, type Placet } from '../../../../src/index.ts';
import type { Channel } from '../../../../src/pdp/model/request.ts';
import { groupsOf } from '../../../../src/policy/lint/masks/scopes.ts';
import type { Sort } from '../../../../src/policy/lint/masks/sorts.ts';
import { type Loaded, load } from '../../../../src/policy/load.ts';
import { type Known, knownFrom } from '../../../oracle/known.ts';
import { policies } from '../../../oracle/policies.ts';
import { Random } from '../../../oracle/random.ts';
import { headerOf, type PermissionSpec, type Shape } from '../../../oracle/shapes.ts';
import { things } from '../../../oracle/things.ts';
import { digest } from '../../loading.ts';

/** Random sets with policies of all sorts, in meshes with certificates of one sort or the other. */

export interface World {
  readonly shapes: readonly Shape[];
  readonly loaded: Loaded;
  readonly groups: NonNullable<ReturnType<typeof groupsOf>>;
  readonly known: Known;
}

export function worldOf(seed: number, most: number, access = 2): World | undefined {
  const random = new Random(seed);
  const drawn = policies(random, random.between(2, most), { identity: 2, tags: 2, access });
  const inventory = things(random).filter((shape) => headerOf(shape).kind !== 'Mesh');
  const meshes = ['default', 'other'].map(
    (name): Shape => ({
      type: 'Mesh',
      name,
      certificates: random.pick(['spiffe', 'tags']),
      accessPolicies: random.pick(['denies', 'denies', 'full']),
    }),
  );
  const shapes = random.shuffled([...meshes, ...inventory, ...drawn]);
  const loaded = load(
    shapes.map((value) => ({ value, place: () => undefined })),
    digest,
  );
  if (loaded.violations.length > 0) return undefined;
  return { shapes, loaded, groups: groupsOf(loaded)!, known: knownFrom(shapes) };
}

const accessKinds: Readonly<Record<string, Sort>> = {
  PrivilegedAccessPolicy: 'privileged',
  AccessPolicy: 'access',
};

/** Undefined for what is no policy. */
export function sortOfShape(shape: Shape): Sort | undefined {
  const { kind, body } = headerOf(shape);
  if (kind !== 'MeshTrafficPermission') return accessKinds[kind];
  const { from, conf } = body as PermissionSpec;
  return from === undefined && conf === undefined ? 'ids' : 'tags';
}

export function without(shapes: readonly Shape[], documents: ReadonlySet<number>, channel?: Channel): Placet {
  const left = shapes.filter((_, document) => !documents.has(document));
  return open(left, channel === undefined ? {} : { channel });
}
