import { z } from 'zod';
import { oneOf, quote } from '../../pdp/model/words.ts';
import { choice, ignoredFields, list, name, object, port, strings } from '../schema/fields.ts';
import { type Flaw, whole } from '../schema/flaw.ts';

const protocols = ['http', 'http2', 'grpc', 'tcp', 'tls', 'kafka'] as const;
export const protocolTag = 'kuma.io/protocol';

const protocol = choice(
  protocols,
  'What the inbound speaks. Not given: method and path count where requests have them.',
);
const tags = z
  .record(z.string(), z.string())
  .meta({ description: 'Tags of the inbound; kuma.io/service names the service.' });

const fields = {
  name: name('The name that sectionName may use.').optional(),
  port: port('The port of the inbound.'),
  protocol: protocol.optional(),
  tags: tags.optional(),
};

function protocolFlaws(value: { readonly tags?: unknown }): readonly Flaw[] {
  const tagged = (value.tags as Record<string, unknown> | null | undefined)?.[protocolTag];
  if (typeof tagged !== 'string' || (protocols as readonly string[]).includes(tagged)) return [];
  const message = `got "${tagged}", want ${oneOf(protocols.map(quote))}`;
  return [{ code: 'value', message, path: ['tags', protocolTag] }];
}

const inbound = object(fields).check(whole((value) => protocolFlaws(value)));

const kumaInbound = object({
  ...fields,
  state: choice(['Ready', 'NotReady', 'Ignored'], 'An ignored inbound does not exist.').optional(),
  ...ignoredFields('servicePort', 'serviceAddress', 'address', 'health', 'serviceProbe'),
}).check(whole((value) => protocolFlaws(value)));

const outbound = object(
  {
    address: z.string().meta({ description: 'The address that the workload calls.' }).optional(),
    port: port('The port that the workload calls.').optional(),
    tags: strings('Tags of what it leads to; kuma.io/service names the service.').optional(),
    backendRef: object(
      {
        kind: choice(
          ['MeshService', 'MeshMultiZoneService', 'MeshExternalService'],
          'The kind of what it leads to.',
        ),
        name: name('Its name.').optional(),
        namespace: name("Its namespace. Not given: the dataplane's.").optional(),
        port: port('Which of its ports.').optional(),
        labels: strings('Labels that it must have.').optional(),
      },
      'The resource that it leads to.',
    ).optional(),
    // Kuma's universal form of older times.
    ...ignoredFields('service'),
  },
  'What the workload calls.',
);

const outbounds = list(outbound, 'What the workload calls.').optional();

export const dataplane = object(
  {
    inbounds: list(inbound, 'What the workload offers.').optional(),
    outbounds,
    networking: object(
      {
        inbound: list(kumaInbound, 'What the workload offers.').optional(),
        outbound: outbounds,
        gateway: object(
          {
            tags,
            type: choice(
              ['DELEGATED', 'BUILTIN'],
              'DELEGATED: another proxy behind this one (the default).',
            ).optional(),
          },
          'What makes it a gateway.',
        ).optional(),
        ...ignoredFields('address', 'advertisedAddress', 'transparentProxying', 'admin', 'listeners'),
      },
      "Kuma's own form.",
    ).optional(),
    ...ignoredFields('metrics', 'probes', 'envoy'),
  },
  'A workload of a mesh and its inbounds.',
).check(
  whole((value) => {
    const flaws: Flaw[] = [];
    for (const field of ['inbounds', 'outbounds'] as const)
      if (value[field] !== undefined && value.networking !== undefined)
        flaws.push({
          code: 'conflict',
          message: `got both "${field}" and "networking", want one of them`,
          path: ['networking'],
        });
    const networking = value.networking as { inbound?: unknown } | null | undefined;
    flaws.push(
      ...twice(value.inbounds, ['inbounds']),
      ...twice(networking?.inbound, ['networking', 'inbound']),
    );
    return flaws;
  }),
);

/** Two inbounds that one section name would mean. */
function twice(inbounds: unknown, path: readonly string[]): Flaw[] {
  const flaws: Flaw[] = [];
  const seen = new Map<string, number>();
  if (!Array.isArray(inbounds)) return flaws;
  for (const [index, one] of inbounds.entries())
    for (const field of ['name', 'port'] as const) {
      const value = (one as Record<string, unknown> | null)?.[field];
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      const first = seen.get(String(value));
      if (first === undefined) seen.set(String(value), index);
      else if (first !== index) {
        const message = `got ${JSON.stringify(value)}, which inbound ${first} is called already, want names and ports that differ`;
        flaws.push({ code: 'conflict', message, path: [...path, index, field] });
      }
    }
  return flaws;
}

export type DataplaneSpec = z.infer<typeof dataplane>;
export type InboundSpec = z.infer<typeof inbound> | z.infer<typeof kumaInbound>;
export type OutboundSpec = z.infer<typeof outbound>;
