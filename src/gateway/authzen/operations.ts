import type { z } from 'zod';
import type { Operation } from '../openapi/operation.ts';
import { endpoints } from './configuration.ts';
import {
  actionSearch,
  configuration,
  evaluation,
  evaluations,
  foundActions,
  foundEntities,
  resourceSearch,
  subjectSearch,
  verdict,
  verdicts,
} from './schemas.ts';

const subject = { type: 'spiffe', id: 'spiffe://default.zone-1.mesh.local/ns/shop/sa/web' };
const action = { name: 'GET' };
const resource = { type: 'dataplane', id: 'default/orders/http' };
const context = { path: '/orders/17' };

const posted = (
  of: Pick<Operation, 'id' | 'path' | 'summary' | 'role'>,
  schema: z.ZodType,
  example: object,
  reply: z.ZodType,
): Operation => ({
  ...of,
  method: 'post',
  tag: 'AuthZEN',
  body: { schema, examples: { example } },
  replies: { 200: { description: 'A denial is an answer too.', schema: reply } },
  // §10.1.2: another type of content is 400 here.
  never: [415],
});

export const authzenOperations: readonly Operation[] = [
  posted(
    {
      id: 'evaluate',
      path: endpoints.access_evaluation_endpoint,
      summary: 'May this subject do that to the resource?',
      role: 'decide',
    },
    evaluation,
    { subject, action, resource, context },
    verdict,
  ),
  posted(
    {
      id: 'evaluateAll',
      path: endpoints.access_evaluations_endpoint,
      summary: 'The same for many at once; without items a single one, answered as one.',
      role: 'decide',
    },
    evaluations,
    {
      subject,
      resource,
      context,
      evaluations: [{ action }, { action: { name: 'DELETE' } }],
      options: { evaluations_semantic: 'deny_on_first_deny' },
    },
    verdicts.or(verdict),
  ),
  posted(
    {
      id: 'searchSubjects',
      path: endpoints.search_subject_endpoint,
      summary: 'Which subjects of a type may?',
      role: 'explain',
    },
    subjectSearch,
    { subject: { type: 'spiffe' }, action, resource, context },
    foundEntities,
  ),
  posted(
    {
      id: 'searchResources',
      path: endpoints.search_resource_endpoint,
      summary: 'Which resources of a type may the subject use?',
      role: 'explain',
    },
    resourceSearch,
    { subject, action, resource: { type: 'dataplane' }, context, page: { limit: 10 } },
    foundEntities,
  ),
  posted(
    {
      id: 'searchActions',
      path: endpoints.search_action_endpoint,
      summary: 'What may the subject do to the resource?',
      role: 'explain',
    },
    actionSearch,
    { subject, resource, context },
    foundActions,
  ),
  {
    id: 'authzenConfiguration',
    method: 'get',
    path: '/.well-known/authzen-configuration',
    tag: 'AuthZEN',
    summary: 'Where the endpoints are.',
    role: 'nobody',
    replies: { 200: { description: 'The metadata of §9.', schema: configuration } },
  },
];
