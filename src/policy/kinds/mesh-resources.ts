import { z } from 'zod';
import { list, loose, name, port, strings } from '../schema/fields.ts';

/** What policies of a mesh may name, beside proxies and routes. Of each only what references need is read. */

export const matchers = loose(
  { match: strings('Tags that the proxy must have; "*" is any value.') },
  'Proxies by their tags.',
);

export const meshService = loose(
  {
    selector: loose(
      {
        dataplaneTags: strings("Tags of the service's inbounds.").optional(),
        dataplaneRef: loose({ name: name("The service's only proxy.").optional() }).optional(),
        dataplaneLabels: loose({
          matchLabels: strings("Labels of the service's proxies.").optional(),
        }).optional(),
      },
      'Which proxies are the service.',
    ).optional(),
    ports: list(
      loose({
        port: port('The port.'),
        name: z.string().meta({ description: 'What sectionName may say.' }).optional(),
      }),
      'What the service offers.',
    ).optional(),
  },
  'A service of a mesh.',
);

export const multiZoneService = loose(
  {
    selector: loose(
      {
        meshService: loose({
          matchLabels: strings('Labels of the services that it stands for.').optional(),
        }).optional(),
      },
      'Which services it stands for.',
    ).optional(),
  },
  'A service that stands for services of several zones.',
);

export const externalService = loose({}, 'A service outside of the mesh.');

export const meshGateway = loose(
  { selectors: list(matchers, 'Which proxies are this gateway.').optional() },
  'A gateway into a mesh.',
);

export const zone = loose({}, 'A zone of a global control plane.');
