import { z } from 'zod';
import { reasons } from '../../pdp/model/decision.ts';
import { limits } from '../../pdp/model/limits.ts';
import { semantics } from './types.ts';

/** Fields that are not known are left out and not refused, as §10.1.1 wants it. */

const words = (most: number, description: string) => z.string().min(1).max(most).meta({ description });

const properties = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Attributes, as far as the caller is believed.' });
const type = words(limits.nameBytes, 'What it is, such as "workload" or "service".');
const id = words(limits.attributeValueBytes, 'Which one of its type it is.');

const entity = z
  .object({ type, id, properties: properties.optional() })
  .meta({ id: 'AuthzenEntity', description: 'A subject or a resource.' });
const sought = z
  .object({ type, properties: properties.optional() })
  .meta({ id: 'AuthzenSought', description: 'What is searched for: an ID, if there is one, is ignored.' });
const action = z
  .object({
    name: words(limits.methodBytes, 'What is to be done: the method, where the resource speaks HTTP.'),
    properties: properties.optional(),
  })
  .meta({ id: 'AuthzenAction' });
const context = z.record(z.string(), z.unknown()).meta({
  description: 'The circumstances; "path" and "sni" are those of the request.',
});

export const evaluation = z
  .object({ subject: entity, action, resource: entity, context: context.optional() })
  .meta({ id: 'AuthzenEvaluation' });

/** What an item lacks is said in its place and spoils no other, so items are read later, each by itself. */
const defaults = {
  subject: z.unknown().optional(),
  action: z.unknown().optional(),
  resource: z.unknown().optional(),
  context: z.unknown().optional(),
};
export const evaluations = z
  .object({
    ...defaults,
    evaluations: z
      .array(
        z.union([z.object(defaults), z.unknown()]).meta({
          description:
            'What it does not give is that of the whole. What is no object is denied in its place.',
        }),
      )
      .max(limits.batchRequests)
      .optional(),
    options: z.object({ evaluations_semantic: z.enum(semantics).optional() }).optional(),
  })
  .meta({ id: 'AuthzenEvaluations' });

const page = z
  .object({
    token: z
      .string()
      .max(limits.pageTokenBytes)
      .meta({ description: 'The next_token of the page before.' })
      .optional(),
    limit: z.int().min(0).meta({ description: 'The most results that a page may have.' }).optional(),
  })
  .meta({ id: 'AuthzenPage' });
const searched = { context: context.optional(), page: page.optional() };

export const subjectSearch = z
  .object({ subject: sought, action, resource: entity, ...searched })
  .meta({ id: 'AuthzenSubjectSearch' });
export const resourceSearch = z
  .object({ subject: entity, action, resource: sought, ...searched })
  .meta({ id: 'AuthzenResourceSearch' });
export const actionSearch = z
  .object({ subject: entity, resource: entity, ...searched })
  .meta({ id: 'AuthzenActionSearch' });

const answerContext = z
  .looseObject({
    reason: z.enum(reasons).meta({ description: 'Why.' }).optional(),
    decisionId: z.string().meta({ description: 'By which the log of decisions has it.' }).optional(),
    snapshot: z.string().meta({ description: 'The policies that decided.' }).optional(),
    ttl: z.number().meta({ description: 'Seconds for which the decision may be used again.' }).optional(),
    error: z
      .object({ status: z.int(), message: z.string() })
      .meta({ description: 'Why there was nothing to decide.' })
      .optional(),
  })
  .meta({ description: 'More of it is for callers with the role explain.' });

export const verdict = z
  .object({ decision: z.boolean(), context: answerContext.optional() })
  .meta({ id: 'AuthzenVerdict' });
export const verdicts = z
  .object({ evaluations: z.array(verdict).meta({ description: 'In the order of the request.' }) })
  .meta({ id: 'AuthzenVerdicts' });

const found = <T extends z.ZodType>(result: T, name: string) =>
  z
    .object({
      page: z.object({
        next_token: z.string().meta({ description: 'Empty: this was the last page.' }),
        count: z.int().min(0),
        total: z.int().min(0).optional(),
      }),
      context: z.object({ snapshot: z.string() }),
      results: z.array(result),
    })
    .meta({ id: name });
export const foundEntities = found(z.object({ type: z.string(), id: z.string() }), 'AuthzenEntities');
export const foundActions = found(z.object({ name: z.string() }), 'AuthzenActions');

const endpoint = z.string().meta({ format: 'uri' });
export const configuration = z
  .object({
    policy_decision_point: endpoint,
    access_evaluation_endpoint: endpoint,
    access_evaluations_endpoint: endpoint,
    search_subject_endpoint: endpoint,
    search_resource_endpoint: endpoint,
    search_action_endpoint: endpoint,
  })
  .meta({ id: 'AuthzenConfiguration' });
