import { z } from 'zod';
import { limits } from '../../../pdp/model/limits.ts';
import { unknowns } from '../../../pdp/model/request.ts';
import { trustLevels } from '../../../pdp/model/trust.ts';
import { evidenceFields } from '../../decide/evidence.ts';

/**
 * What `POST /decide` reads. It is read by hand there, since every decision passes; a test holds that reader to these
 * schemas.
 */

const text = (most: number, least = 0) => z.string().min(least).max(most);
const name = text(limits.nameBytes, 1);
const serviceName = z
  .string()
  .max(2 * limits.nameBytes + 1)
  .regex(/^[^/]+\/[^/]+$/);
const trust = z.enum(trustLevels).meta({ description: 'How far it can be believed, strongest first.' });
const time = z.number().meta({ description: 'Milliseconds since the epoch.' });

function few<S extends z.ZodType>(most: number, value: S, description: string) {
  const key = text(limits.attributeKeyBytes, 1);
  return z
    .record(key, value)
    .refine((all) => Object.keys(all).length <= most)
    .meta({ description, maxProperties: most });
}

const stated = z
  .strictObject({ value: text(limits.attributeValueBytes), trust: trust.optional(), since: time.optional() })
  .meta({ description: 'A value, and how far and since when it is believed.' });
const unknown = z
  .strictObject({ unknown: z.enum(unknowns), pods: z.array(name).max(limits.sharingPods).optional() })
  .meta({ description: 'That nobody can tell the value.' });
const value = text(limits.attributeValueBytes);

const evidenceWords: Readonly<Record<(typeof evidenceFields)[number], string>> = {
  certificate: 'PEM, or base64 of DER, the leaf first. Verified for callers with the role relay.',
  xfcc: 'The header x-forwarded-client-cert as an Envoy wrote it.',
  jwt: 'A JWT-SVID, or a token of a service account.',
  ip: 'The address that the client calls from.',
};

const source = z
  .strictObject({
    spiffeId: z.string().optional(),
    mesh: name.optional(),
    tags: few(
      limits.attributes,
      z.union([value, z.array(value).min(1).max(limits.tagValues)]),
      'Tags, of which one may have several values.',
    ).optional(),
    attributes: few(
      limits.attributes,
      z.union([value, stated, unknown]),
      'Attributes, such as "k8s:ns".',
    ).optional(),
    complete: z
      .union([z.boolean(), few(limits.completePrefixes, trust, 'Key prefixes of which all is known.')])
      .meta({ description: 'Whether what is not here is known to be absent.' })
      .optional(),
    ...Object.fromEntries(
      evidenceFields.map((field) => [
        field,
        z.string().min(1).meta({ description: evidenceWords[field] }).optional(),
      ]),
    ),
  })
  .meta({ id: 'Source', description: 'Who asks: evidence, and what the caller states.' });

const route = z.union([name.regex(/^[^/]*$/), serviceName]);
const dataplane = z
  .strictObject({
    mesh: name.meta({ description: 'If it is not given: default.' }).optional(),
    dataplane: name,
    inbound: z
      .union([name, z.int().min(1).max(65_535)])
      .meta({ description: 'Its name or its port.' })
      .optional(),
    route: route.meta({ description: 'The route that the request takes.' }).optional(),
    namespace: name.optional(),
  })
  .meta({ description: 'A dataplane of a mesh.' });
const service = z
  .strictObject({
    service: serviceName.meta({ description: 'namespace/name' }),
    namespace: name.optional(),
  })
  .meta({ description: 'A service or an export.' });
const outright = z
  .strictObject({
    attributes: few(limits.attributes, z.union([value, stated]), 'Attributes, such as "service:name".'),
    namespace: name.meta({ description: 'The namespace whose policies bind it.' }).optional(),
    complete: z.boolean().optional(),
  })
  .meta({ description: 'Attributes outright.' });

const parts = z
  .strictObject({
    method: text(limits.methodBytes, 1).optional(),
    path: text(limits.pathBytes).optional(),
    sni: text(limits.sniBytes).optional(),
  })
  .meta({ id: 'RequestParts', description: 'What is seen of the request.' });

const fields = {
  source: source.optional(),
  destination: z.union([dataplane, service, outright]).meta({ id: 'Destination' }),
  request: parts.optional(),
  at: time.optional(),
};

export const decideRequest = z
  .strictObject({
    ...fields,
    explain: z.boolean().meta({ description: 'Takes the role explain.' }).optional(),
  })
  .meta({ id: 'DecideRequest' });

/** Of a batch; a request that is none has its violations in its place, so all that is said of them is what they are. */
export const batchRequest = z
  .strictObject({
    defaults: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What every request has that does not say otherwise, field by field.' })
      .optional(),
    requests: z
      .array(z.unknown().meta({ description: 'A DecideRequest without "explain".' }))
      .max(limits.batchRequests),
  })
  .meta({ id: 'BatchRequest' });
