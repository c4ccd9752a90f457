import { z } from 'zod';
import { envoyStates } from '../../inspect/envoys.ts';
import type { Operation, Parameter } from '../operation.ts';
import { place } from './decide.ts';
import { envoys } from './envoys.ts';
import { overview } from './run.ts';

const origins = z
  .array(z.object({ kri: z.string() }))
  .meta({ description: 'The policies that it is made of.' });
const conf = z.unknown().meta({ description: 'As its kind has it.' });
const kri = z.string().meta({ description: 'The resource identifier of Kuma.' });

const layout = z
  .object({
    kri,
    labels: z.record(z.string(), z.string()),
    inbounds: z.array(
      z.object({ kri, port: z.int(), protocol: z.string().optional(), proxyResourceName: z.string() }),
    ),
    outbounds: z.array(
      z.object({ kri: kri.optional(), port: z.int().optional(), proxyResourceName: z.string() }),
    ),
  })
  .meta({ id: 'Layout' });
const merged = z.array(z.object({ kind: z.string(), conf, origins })).meta({ id: 'MergedPolicies' });
const proxyPolicies = z.object({ policies: merged }).meta({ id: 'ProxyPolicies' });
const inboundPolicies = z
  .object({
    policies: z.array(
      z.object({
        kind: z.string(),
        rules: z
          .array(z.looseObject({ conf, kri }))
          .meta({ description: 'In the order in which they count.' }),
        origins,
      }),
    ),
  })
  .meta({ id: 'InboundPolicies' });
const outboundPolicies = z
  .union([
    proxyPolicies,
    z.object({
      outbounds: z.array(z.object({ name: z.string(), kri: kri.optional(), policies: merged })),
    }),
  ])
  .meta({ id: 'OutboundPolicies', description: 'Of one outbound, or of each that goes by the name.' });

const status = {
  kri,
  kind: z.string(),
  name: z.string(),
  mesh: z.string().optional(),
  namespace: z.string().optional(),
  place: place.optional(),
  shadow: z.boolean().meta({ description: 'Never enforced.' }),
  rules: z.int().optional(),
  ignored: z
    .array(z.object({ field: z.string(), why: z.string(), place: place.optional() }))
    .meta({ description: 'What of it does not count.' }),
  statuses: z.array(
    z.object({
      severity: z.enum(['error', 'warning', 'note']),
      code: z.string(),
      field: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      place: place.optional(),
    }),
  ),
  lastDecided: z.string().meta({ format: 'date-time' }).optional(),
};
const policy = z
  .looseObject({ ...status, selects: z.record(z.string(), z.unknown()) })
  .meta({ id: 'PolicyStatus', description: 'What a policy selects, and what there is to say of it.' });
const policies = z
  .object({
    total: z.int(),
    policies: z.array(z.looseObject({ ...status, selects: z.record(z.string(), z.int()) })),
    next: z.int().meta({ description: 'The offset of the page after, if there is one.' }).optional(),
  })
  .meta({ id: 'PolicyStatuses' });

const evidence = z
  .strictObject({
    certificate: z.string().min(1).optional(),
    xfcc: z.string().min(1).optional(),
    jwt: z.string().min(1).optional(),
    ip: z.string().min(1).optional(),
  })
  .meta({ id: 'Evidence', minProperties: 1 });
const identified = z
  .looseObject({
    source: z.looseObject({}).meta({ description: 'As POST /decide takes it.' }),
    conflicts: z.array(z.unknown()),
    refused: z.array(z.looseObject({})).meta({ description: 'Evidence that does not count, and why.' }),
  })
  .meta({ id: 'Identified' });

const within = (description: string, example: string): Parameter => ({
  in: 'path',
  schema: z.string().min(1),
  description,
  example,
});
const proxy: Readonly<Record<string, Parameter>> = {
  mesh: within('The mesh.', 'default'),
  name: within('The dataplane.', 'orders'),
};
const shadow: Parameter = {
  in: 'query',
  schema: z.enum(['true', 'false']),
  description: 'As if policies labelled kuma.io/effect: shadow were in force.',
};
const part = (example: string) => within('A name, a port or an identifier.', example);

function look(
  of: Pick<Operation, 'id' | 'path' | 'summary' | 'parameters'>,
  schema: z.ZodType,
  problems: Operation['problems'] = [404],
): Operation {
  return {
    ...of,
    method: 'get',
    tag: 'Inspect',
    description: 'The role `admin` will do too.',
    role: 'explain',
    replies: { 200: { description: 'What there is.', schema } },
    problems,
  };
}

const dataplane = '/meshes/{mesh}/dataplanes/{name}';
const page = (description: string, most: number): Parameter => ({
  in: 'query',
  schema: z.int().min(0).max(most),
  description,
});

export const inspectOperations: readonly Operation[] = [
  look(
    {
      id: 'layout',
      path: `${dataplane}/_layout`,
      summary: 'What a proxy listens on and calls.',
      parameters: { ...proxy, shadow },
    },
    layout,
    [400, 404],
  ),
  look(
    {
      id: 'proxyPolicies',
      path: `${dataplane}/_policies`,
      summary: 'What a proxy has of policies about itself.',
      parameters: { ...proxy, shadow },
    },
    proxyPolicies,
    [400, 404],
  ),
  look(
    {
      id: 'inboundPolicies',
      path: `${dataplane}/_inbounds/{part}/_policies`,
      summary: 'What one inbound has of policies.',
      parameters: { ...proxy, part: part('http'), shadow },
    },
    inboundPolicies,
    [400, 404],
  ),
  look(
    {
      id: 'outboundPolicies',
      path: `${dataplane}/_outbounds/{part}/_policies`,
      summary: 'What one outbound has of policies.',
      parameters: { ...proxy, part: part('payments'), shadow },
    },
    outboundPolicies,
    [400, 404],
  ),
  look(
    {
      id: 'policies',
      path: '/policies',
      summary: 'All policies with what they select, page by page.',
      parameters: {
        kind: { in: 'query', schema: z.string(), description: 'Of this kind only.' },
        mesh: { in: 'query', schema: z.string(), description: 'Of this mesh only.' },
        namespace: { in: 'query', schema: z.string(), description: 'Of this namespace only.' },
        offset: page('How many to leave out, from the first.', Number.MAX_SAFE_INTEGER),
        limit: page('How many to give.', 1_000),
      },
    },
    policies,
    [400, 404],
  ),
  look(
    {
      id: 'policy',
      path: '/policies/{kri}',
      summary: 'One policy.',
      parameters: { kri: within('Its identifier.', 'kri_mtp_default___web_') },
    },
    policy,
  ),
  look(
    {
      id: 'envoys',
      path: '/envoys',
      summary: 'Envoys that get their filters here, page by page.',
      parameters: {
        state: {
          in: 'query',
          schema: z.enum(envoyStates),
          description: 'Of those only with which it stands so.',
        },
        id: { in: 'query', schema: z.string(), description: 'Those that call themselves so.' },
        mesh: { in: 'query', schema: z.string(), description: 'Of this mesh only.' },
        dataplane: { in: 'query', schema: z.string(), description: 'Of dataplanes of this name only.' },
        offset: page('How many to leave out, from the first.', Number.MAX_SAFE_INTEGER),
        limit: page('How many to give.', 1_000),
      },
    },
    envoys,
    [400],
  ),
  look(
    { id: 'snapshot', path: '/snapshot', summary: 'What decides now, and where it comes from.' },
    overview,
    [],
  ),
  {
    id: 'whois',
    method: 'post',
    path: '/attributes/whois',
    tag: 'Inspect',
    summary: 'Who evidence proves a client to be.',
    description: 'The role `admin` will do too.',
    role: 'explain',
    body: { schema: evidence, examples: { address: { ip: '10.0.0.7' } } },
    replies: { 200: { description: 'All that is known of the client.', schema: identified } },
  },
];
