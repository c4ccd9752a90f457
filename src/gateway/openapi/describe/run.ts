import { z } from 'zod';
import type { Operation } from '../operation.ts';

const source = z
  .object({
    name: z.string(),
    synced: z.boolean(),
    fresh: z.boolean().meta({ description: 'Whether what it gave may still be believed.' }),
    age: z.number().meta({ description: 'Milliseconds since it was last known to be so.' }).optional(),
    problems: z.array(z.string()),
  })
  .meta({ id: 'SourceStatus' });

export const overview = z
  .looseObject({
    snapshot: z.string().optional(),
    since: z.number().meta({ description: 'Milliseconds since the epoch at which it took over.' }).optional(),
    counts: z.record(z.string(), z.int()).optional(),
    sources: z.array(source),
    problems: z
      .array(z.looseObject({ message: z.string() }))
      .meta({ description: 'Why some of what lies in the sources does not count.' }),
    worker: z.int().meta({ description: 'Which of several processes answers.' }).optional(),
  })
  .meta({ id: 'Overview' });

const readiness = z
  .looseObject({ ready: z.boolean(), draining: z.boolean().optional(), sources: z.array(source).optional() })
  .meta({ id: 'Readiness' });

const live = (path: string, id: string): Operation => ({
  id,
  method: 'get',
  path,
  tag: 'Run',
  summary: 'Whether the process works at all.',
  role: 'nobody',
  replies: {
    200: { description: 'It does.', schema: z.object({ live: z.boolean() }).meta({ id: 'Liveness' }) },
  },
});

export const runOperations: readonly Operation[] = [
  live('/live', 'live'),
  live('/healthz', 'healthz'),
  {
    id: 'ready',
    method: 'get',
    path: '/ready',
    tag: 'Run',
    summary: 'Whether all sources are read and fresh.',
    description: 'More than a word is for those who may ask for decisions, and only with `verbose`.',
    role: 'nobody',
    parameters: {
      verbose: { in: 'query', schema: z.string(), description: 'What is wrong with what, whatever it says.' },
    },
    replies: {
      200: { description: 'It is.', schema: readiness },
      503: { description: 'It is not.', schema: readiness },
    },
  },
  {
    id: 'metrics',
    method: 'get',
    path: '/metrics',
    tag: 'Run',
    summary: 'What was decided, by which policies, how fast and on what.',
    description: 'The role `admin` will do too.',
    role: 'explain',
    replies: { 200: { description: 'As Prometheus reads it.', type: 'text/plain' } },
  },
];
