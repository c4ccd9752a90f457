import { z } from 'zod';
import { authzenOperations } from '../authzen/operations.ts';
import { decideOperations } from './describe/decide.ts';
import { extAuthzOperations } from './describe/extauthz.ts';
import { inspectOperations } from './describe/inspect.ts';
import { runOperations } from './describe/run.ts';
import type { Operation } from './operation.ts';

const referenceOperations: readonly Operation[] = [
  {
    id: 'openapi',
    method: 'get',
    path: '/openapi.json',
    tag: 'Reference',
    summary: 'This document, for programs.',
    role: 'nobody',
    replies: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
  },
  {
    id: 'docs',
    method: 'get',
    path: '/docs',
    tag: 'Reference',
    summary: 'This document, for people.',
    role: 'nobody',
    replies: { 200: { description: 'A page without scripts.', type: 'text/html' } },
  },
];

/** Of all routes, in the order in which people read them. */
export const operations: readonly Operation[] = [
  ...decideOperations,
  ...authzenOperations,
  ...extAuthzOperations,
  ...inspectOperations,
  ...runOperations,
  ...referenceOperations,
];
