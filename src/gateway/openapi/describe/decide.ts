import { z } from 'zod';
import { reasons } from '../../../pdp/model/decision.ts';
import { trustLevels } from '../../../pdp/model/trust.ts';
import type { Operation } from '../operation.ts';
import { problem } from '../problem.ts';
import { batchRequest, decideRequest } from './request.ts';

const effect = z.enum(['allow', 'deny']);
export const place = z.object({ file: z.string(), line: z.int(), column: z.int() }).meta({ id: 'Place' });
const by = z
  .object({ policy: z.string(), kri: z.string(), effect: z.string(), index: z.int() })
  .meta({ id: 'By', description: 'The rule that decided, as its owner would look for it.' });
const tier = z.int().min(0).max(4);

const decision = {
  decision: effect,
  tier: tier.nullable().meta({ description: 'The lowest tier with a match decides; null: none had one.' }),
  by: by.nullable(),
  place: place.meta({ description: 'Where the deciding rule is written.' }).optional(),
  shadow: effect.meta({ description: 'The verdict with every shadow effect in force.' }),
  shadowBy: by.nullable(),
  reason: z.enum(reasons),
  trust: z.enum(trustLevels).nullable().meta({ description: 'The weakest of what the deciding rule read.' }),
  snapshot: z.string().meta({ description: 'The policies that decided.' }),
  keys: z.array(z.string()).meta({ description: 'The attributes that the reason is about.' }).optional(),
  age: z.number().meta({ description: 'Milliseconds since the oldest value used was seen.' }).optional(),
  violations: problem.shape.violations,
  message: z.string().meta({ description: 'Of a denial: what the client may be told.' }).optional(),
  refused: z
    .array(z.looseObject({ evidence: z.string() }))
    .meta({ description: 'Evidence that does not count, and why.' })
    .optional(),
  decisionId: z.string().meta({ description: 'By which the log of decisions has it.' }),
  ttl: z
    .number()
    .min(0)
    .meta({ description: 'Seconds for which the decision may be used again; 0: not at all.' }),
};

const explanation = z
  .looseObject({
    decision: z.looseObject({ decision: effect }),
    rules: z.array(z.looseObject({ id: z.string() })),
  })
  .meta({
    id: 'Explanation',
    description:
      'What every rule saw, in the shadow world too where that is otherwise, and what would have changed the outcome.',
  });

const decideReply = z.object({ ...decision, explanation: explanation.optional() }).meta({ id: 'Decision' });
const batchReply = z
  .object({ decisions: z.array(decideReply).meta({ description: 'In the order of the requests.' }) })
  .meta({ id: 'Decisions' });

const source = { spiffeId: 'spiffe://default.zone-1.mesh.local/ns/shop/sa/web' };

export const decideOperations: readonly Operation[] = [
  {
    id: 'decide',
    method: 'post',
    path: '/decide',
    tag: 'Decide',
    summary: 'May this client call that destination?',
    description:
      'What names policies (`by`, `shadowBy`, `place`, `keys`, `refused`, `explanation`) is for callers with the role `explain`; others get null, or nothing.',
    role: 'decide',
    body: {
      schema: decideRequest,
      examples: {
        dataplane: {
          source,
          destination: { dataplane: 'orders', inbound: 'http' },
          request: { method: 'GET', path: '/orders/17' },
        },
        service: { source: { attributes: { 'k8s:ns': 'shop' } }, destination: { service: 'shop/payments' } },
      },
    },
    replies: { 200: { description: 'The decision.', schema: decideReply } },
  },
  {
    id: 'decideBatch',
    method: 'post',
    path: '/decide/batch',
    tag: 'Decide',
    summary: 'The same for many requests at once.',
    description: 'One that is no request has its violations in its place and spoils no other.',
    role: 'decide',
    body: {
      schema: batchRequest,
      examples: {
        routes: {
          defaults: { source, destination: { dataplane: 'orders', inbound: 'http' } },
          requests: [{ request: { method: 'GET', path: '/' } }, { request: { method: 'PUT', path: '/' } }],
        },
      },
    },
    replies: { 200: { description: 'A decision for each.', schema: batchReply } },
  },
];
