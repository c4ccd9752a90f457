import type { z } from 'zod';
import { image, list, name, object, spiffeId, text } from '../schema/fields.ts';
import { whole } from '../schema/flaw.ts';
import { attributes } from './attributes.ts';

const container = object({
  name: name('The name of the container.'),
  image: image('Its image.'),
  digest: text('The digest that runs, as the status says it.').optional(),
});

const given = {
  'k8s:ns': 'namespace',
  'k8s:sa': 'serviceAccount',
  'k8s:pod': 'name',
  'k8s:owner': 'owner',
  'spiffe:id': 'spiffeId',
  'spiffe:trust-domain': 'spiffeId',
};

export const workload = object(
  {
    serviceAccount: name('The service account.').optional(),
    spiffeId: spiffeId('The SPIFFE ID that its certificate carries.').optional(),
    images: list(image('An image.'), 'The images of its containers.').optional(),
    initImages: list(image('An image.'), 'The images of its init containers.').optional(),
    containers: list(container, 'Its containers, by name.').optional(),
    initContainers: list(container, 'Its init containers, by name.').optional(),
    owner: text('The kind and name of what owns it, such as "Deployment/web".').optional(),
    attributes: attributes('Attributes beside those that the other fields give.', given, [
      'k8s:label:',
      'k8s:container-image',
      'k8s:init-container-image',
    ]).optional(),
  },
  'A client, as Kubernetes would describe it.',
).check(
  whole((value) =>
    (
      [
        ['images', 'containers'],
        ['initImages', 'initContainers'],
      ] as const
    ).flatMap(([images, containers]) =>
      value[images] === undefined || value[containers] === undefined
        ? []
        : [
            {
              code: 'conflict',
              message: `got both "${images}" and "${containers}", want one of them`,
              path: [containers],
            } as const,
          ],
    ),
  ),
);

export type WorkloadSpec = z.infer<typeof workload>;
