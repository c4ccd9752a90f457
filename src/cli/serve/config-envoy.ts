import { z } from 'zod';
import { destinationSources } from '../../envoy/authz/destination.ts';
import { address, count, exactlyOne, text } from './config-parts.ts';

const name = z.string().min(1);

const destination = z
  .strictObject({
    mesh: name.optional(),
    dataplane: name.optional(),
    inbound: name.optional(),
    service: name.optional(),
  })
  .superRefine(exactlyOne(['dataplane', 'service']));

const answers = {
  denial: z
    .strictObject({
      status: count(400, 599, 'Of the reply to a client that is denied.').default(403),
      body: z.string().max(4_096).meta({ description: 'Of the same.' }).default('denied\n'),
    })
    .prefault({}),
  tellUpstream: z
    .boolean()
    .meta({ description: 'Whether upstreams get x-placet-reason and x-placet-trust.' })
    .default(false),
};

/** What proxies are answered that ask by HTTP, where everybody else asks too. */
export const extAuthzSchema = z.strictObject(answers);

/** What is said to Envoys, and of what they say how much is believed. */
export const envoySchema = z.strictObject({
  listen: address('Where Envoys ask, by gRPC: ext_authz and xDS.'),
  destination: z
    .array(z.enum(destinationSources))
    .min(1)
    .meta({ description: 'Where a proxy says what a request is for; the first that says it counts.' })
    .default(['extensions', 'call', 'labels', 'metadata']),
  destinations: z
    .record(
      text((id) => id.startsWith('spiffe://'), 'a SPIFFE ID'),
      destination,
    )
    .meta({ description: 'What a proxy is that has this ID, for `destination: [principal]`.' })
    .default({}),
  principals: z
    .enum(['certificate-only', 'only-spiffe-ids-are-admitted'])
    .meta({ description: 'Whether a principal is believed without the certificate of the client.' })
    .default('certificate-only'),
  addresses: z
    .boolean()
    .meta({ description: "Whether the address that calls a proxy is the client's own." })
    .default(false),
  claims: z
    .string()
    .min(1)
    .meta({
      description:
        'Where jwt_authn leaves the claims of exchange tokens (payload_in_metadata); not given, none count.',
    })
    .optional(),
  ...answers,
});

export type EnvoyConfig = z.infer<typeof envoySchema>;
