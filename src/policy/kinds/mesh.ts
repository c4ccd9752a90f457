import { z } from 'zod';
import { choice, ignoredFields, list, object, trustDomain } from '../schema/fields.ts';

export const mesh = object(
  {
    certificates: choice(
      ['spiffe', 'tags'],
      'spiffe: clients carry one SPIFFE ID (the default). tags: they carry their tags.',
    ).optional(),
    accessPolicies: choice(
      ['denies', 'full'],
      'denies: at inbounds only the denies of access policies count (the default). full: their allows too.',
    ).optional(),
    nameOrder: choice(
      ['smaller-wins', 'larger-wins'],
      'Which of two policies that differ in name only is the stronger one in ordered lists. Not given: the smaller name, and in the form conf.from the larger one.',
    ).optional(),
    strictPrefixes: z
      .boolean()
      .meta({ description: 'Refuse a Prefix that ends inside a path segment.' })
      .optional(),
    trustDomains: list(
      trustDomain('A trust domain.'),
      'Trust domains whose SPIFFE IDs carry namespace and service account.',
    ).optional(),
    ...ignoredFields(
      'mtls',
      'tracing',
      'logging',
      'metrics',
      'networking',
      'routing',
      'constraints',
      'skipCreatingInitialPolicies',
      'meshServices',
    ),
  },
  'A mesh and how its permissions are read.',
);

export type MeshSpec = z.infer<typeof mesh>;
