import { type Mutant, within } from './within.ts';

/** Mistakes on the way from documents to rules. */
export const ofDocuments: readonly Mutant[] = [
  ...within(
    'src/policy/lower/tags.ts',
    ['tier 4 read as 2', '? 4 : 2', '? 2 : 2'],
    [
      'the last item of the older form wins',
      'firstWins ? items.length - 1 - index : index',
      'firstWins ? index : index',
    ],
  ),
  ...within('src/policy/lower/tag-conditions.ts', [
    'a negated tag read as a positive one',
    'pool.isNot(',
    'pool.is(',
  ]),
  ...within(
    'src/policy/lower/inbounds.ts',
    ['types of proxies forgotten', 'types.length === 0 ? []', 'types.length >= 0 ? []'],
    ['a policy of a namespace for all of them', 'const own = ownTags(head);', 'const own: Labels = {};'],
  ),
  ...within(
    'src/policy/lower/access.ts',
    ['shadow policies enforced', 'tier: isShadowOnly(head) ? null : tier,', 'tier,'],
    [
      'pairs counted the wrong way round',
      'fromIndex * destinations.length + toIndex',
      'toIndex * sources.length + fromIndex',
    ],
    ['declared levels forgotten', '...declared])', '])'],
  ),
  ...within(
    'src/policy/targets/explicit.ts',
    ['the operator of a zone for all zones', "isSystem(head) && isGlobal(head) ? ''", "isSystem(head) ? ''"],
    [
      'a zone of its own as a narrower kind',
      "top.kind === 'MeshSubset' ? 'Mesh'",
      "top.kind === 'MeshSubset' ? 'MeshSubset'",
    ],
  ),
  ...within(
    'src/policy/targets/order.ts',
    ['names ascending', "a.names === 'smaller-wins' ? -names : names", 'names'],
    ['global after all', "if (origin === 'global') return 0;", "if (origin === 'global') return 3;"],
    ['what the mesh says of names unheard', 'names: names ?? usual[form],', 'names: usual[form],'],
    ['forms are equals', "form === 'first-wins' ? 0 : 1,", "form === 'first-wins' ? 1 : 1,"],
  ),
  ...within('src/policy/kinds/head.ts', [
    "the system's own namespace is like any",
    "namespace === '' || namespace === systemNamespace",
    "namespace === ''",
  ]),
];
