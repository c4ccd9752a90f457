import { z } from 'zod';
import { list, loose, name, strings } from '../schema/fields.ts';
import { targetRefSchema } from '../targets/ref-schema.ts';
import { destinationKinds } from '../targets/target-ref.ts';
import { matchers } from './mesh-resources.ts';

/** Routes: policies of their own, and what other policies may be for. */

const backend = loose(
  {
    kind: z.string().meta({ description: 'The kind of what requests are sent to.' }).optional(),
    name: name('Its name.').optional(),
    namespace: name("Its namespace. Not given: the route's.").optional(),
    labels: strings('Labels that it must have.').optional(),
    tags: strings('Tags that its proxies must have.').optional(),
  },
  'Where requests are sent.',
);

const rule = loose(
  { default: loose({ backendRefs: list(backend, 'Where requests are sent.').optional() }).optional() },
  'Some requests of the destination.',
);

export const meshRoute = loose(
  {
    targetRef: targetRefSchema('top', [
      'Mesh',
      'MeshSubset',
      'MeshGateway',
      'MeshService',
      'MeshServiceSubset',
      'Dataplane',
      'MeshHTTPRoute',
      'MeshTCPRoute',
    ]).optional(),
    to: list(
      loose({
        targetRef: targetRefSchema('to', destinationKinds),
        rules: list(rule, 'What becomes of which requests.').optional(),
      }),
      'Which destinations.',
    ).optional(),
  },
  'A route: what becomes of some requests to a destination.',
);

export const gatewayRoute = loose(
  { selectors: list(matchers, 'Which gateways.').optional() },
  'A route of a gateway.',
);
