import { z } from 'zod';
import { siteScopes } from '../../pdp/model/of-site.ts';
import { object } from '../schema/fields.ts';
import { attributes } from './attributes.ts';

const given = { 'service:name': 'name', 'k8s:ns': 'namespace' };

export const service = object(
  {
    attributes: attributes('Attributes beside the name, the namespace and the labels.', given, [
      'k8s:label:',
      // A service is where its site is, which the operator of that says.
      ...siteScopes,
    ]).optional(),
  },
  'A destination of access policies.',
);

/** Of a core v1 Service only metadata is used. */
export const coreService = z.unknown().meta({ description: 'Read by Kubernetes, ignored here.' });

export type ServiceSpec = z.infer<typeof service>;
