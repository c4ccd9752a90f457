import { relative } from 'node:path';
import { z } from 'zod';
import { readEndpoint } from '../../attributes/workload-api/endpoint.ts';
import { limits } from '../../pdp/model/limits.ts';
import { isServiceName } from '../../pdp/model/read-request.ts';
import { roles } from '../../pdp/model/request.ts';
import { spiffeIdFlaw } from '../../policy/schema/text-flaws.ts';
import { shippedPolicies } from '../shipped.ts';
import { envoySchema, extAuthzSchema } from './config-envoy.ts';
import { logSchema } from './config-log.ts';
import { address, count, exactlyOne, path, publicUrl, refused, seconds, text } from './config-parts.ts';

/**
 * All that the service can be told. A part that needs settings adds its own section; defaults, environment, flags,
 * origins and what is said of mistakes come from the schema.
 */

const spiffeId = refused((text) => spiffeIdFlaw(text));

const serviceAccount = text(isServiceName, '"namespace/name"');

const who = ['spiffeId', 'spiffeIdPrefix', 'serviceAccount', 'loopback', 'socket'] as const;

const caller = z
  .strictObject({
    spiffeId: spiffeId.meta({ description: 'Who carries this ID.' }).optional(),
    spiffeIdPrefix: spiffeId
      .meta({ description: 'Who carries this ID, or one below it by whole segments.' })
      .optional(),
    serviceAccount: serviceAccount.meta({ description: 'Who has a token of this account.' }).optional(),
    loopback: z.literal(true).meta({ description: 'Whoever calls from this machine.' }).optional(),
    socket: z.literal(true).meta({ description: 'Whoever may open the Unix socket.' }).optional(),
    roles: z.array(z.enum(roles)).min(1).meta({ description: 'What they may do.' }),
  })
  .superRefine(exactlyOne(who));

export type CallerRule = z.infer<typeof caller>;

const bounds = z.strictObject({
  body: count(1_024, 1_073_741_824, 'Bytes of a body.').default(limits.bodyBytes),
  batchBody: count(1_024, 1_073_741_824, 'Bytes of the body of a batch.').default(8 * limits.bodyBytes),
  header: count(1_024, 1_048_576, 'Bytes of the head of a request.').default(16_384),
  connections: count(1, 1_000_000, 'Connections at once.').default(10_000),
  concurrency: count(1, 1_000_000, 'Requests at once; more are turned away with 503.').default(1_000),
  turn: seconds(
    0.001,
    60,
    'How long requests may wait for each other before the last of them are turned away with 503.',
  ).default(0.25),
  headTime: seconds(0.1, 3_600, 'Until the head of a request is there.').default(10),
  requestTime: seconds(0.1, 3_600, 'Until all of a request is there.').default(30),
  idleTime: seconds(0.1, 86_400, 'That a connection may be idle.').default(65),
});

export const configSchema = z.strictObject({
  listen: address('Where: host:port, or unix:/path.').default('127.0.0.1:8420'),
  publicUrl: publicUrl
    .meta({ description: 'How callers name this service, where that is not the host that they ask.' })
    .optional(),
  policies: z
    .array(path('A file or folder.'))
    .min(1)
    .meta({ description: 'Files and folders of policies.' })
    .default(() => [relative(process.cwd(), shippedPolicies) || '.']),
  bundles: z
    .record(z.string().min(1), path('A bundle: PEM, or a SPIFFE bundle document.'))
    .meta({ description: 'Authorities of each trust domain or mesh.' })
    .default({}),
  audiences: z
    .array(z.string().min(1))
    .meta({ description: 'Who we are to those who make tokens.' })
    .default([]),
  workloadApi: text((got) => readEndpoint(got).ok, 'unix:///path or tcp://address:port')
    .meta({ description: 'The SPIFFE Workload API; not given, what SPIFFE_ENDPOINT_SOCKET says.' })
    .optional(),
  tls: z
    .union([
      z.literal('workload-api'),
      z.strictObject({
        certificate: path('Our certificate and what is needed to verify it, in PEM.'),
        key: path('Its private key, in PEM.'),
      }),
    ])
    .meta({ description: 'Our certificate and key: files, or workload-api for our SVID.' })
    .optional(),
  callers: z
    .array(caller)
    .meta({ description: 'Who may ask what. Not given, and on loopback: whoever is on this machine.' })
    .optional(),
  kubernetes: z
    .strictObject({
      kubeconfig: path('Not given: what a pod has, else that of the user.').optional(),
      context: z.string().min(1).meta({ description: 'A context of the kubeconfig.' }).optional(),
      policies: z
        .boolean()
        .meta({ description: 'Whether its objects are policies too (deploy/crds).' })
        .default(false),
    })
    .meta({ description: 'The cluster whose pods and tokens are known; {} for the one that it runs in.' })
    .optional(),
  xfcc: z
    .enum(['only', 'last', 'first'])
    .meta({
      description:
        'Whom of x-forwarded-client-cert is believed: who is alone in it, or whom the nearest proxy put last. An Envoy that takes certificates with a comma in a name lets its clients put somebody there.',
    })
    .default('only'),
  ttl: count(0, 86_400, 'Seconds for which a decision may be used again.').default(5),
  maxStaleness: seconds(
    1,
    2_592_000,
    'How long what was last read counts when it cannot be read again; nothing is allowed after that.',
  ).default(300),
  workers: count(1, 1_024, 'Processes that share the port.').default(1),
  drainTime: seconds(0, 3_600, 'How long what is under way when the service ends may take.').default(10),
  limits: bounds.prefault({}),
  log: logSchema.prefault({}),
  envoy: envoySchema.optional(),
  extAuthz: extAuthzSchema.prefault({}),
});

export type Config = z.infer<typeof configSchema>;
