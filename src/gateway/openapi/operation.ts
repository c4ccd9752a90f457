import type { z } from 'zod';
import type { Role } from '../../pdp/model/request.ts';
import type { Problem } from '../http/problem.ts';

export const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const;
export type Method = (typeof methods)[number];

/**
 * What there is to say of one route. Each part of the service says it of its own; a test holds the list of all of
 * them to the routes that there are.
 */
export interface Operation {
  /** Unique; programs that are generated call their functions so. */
  readonly id: string;
  readonly method: Method;
  /** As OpenAPI writes it: `/meshes/{mesh}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The role that it takes; `nobody`: it is open to everybody. */
  readonly role: Role | 'nobody';
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly body?: { readonly schema: z.ZodType; readonly examples: Readonly<Record<string, unknown>> };
  readonly replies: Readonly<Record<number, Reply>>;
  /** Statuses of problems beside those which the role and the body bring with them. */
  readonly problems?: readonly Problem['status'][];
  /** Among those that a body brings, what this one says otherwise. */
  readonly never?: readonly Problem['status'][];
}

export const tags = {
  Decide: 'May this client call that destination?',
  AuthZEN: 'The same question as the Authorization API 1.0 of OpenID asks it, and searches.',
  Proxies: 'May this request go on? As proxies ask it of everything that comes through them.',
  Inspect: 'What the policies say, and of whom.',
  Run: 'Whether it works.',
  Reference: 'This document.',
} as const;
export type Tag = keyof typeof tags;

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly schema: z.ZodType;
  readonly description: string;
  readonly example?: string;
}

export interface Reply {
  readonly description: string;
  /** Not given: there is no body, or one that is no JSON. */
  readonly schema?: z.ZodType;
  /** JSON, if it is not said. */
  readonly type?: string;
}
