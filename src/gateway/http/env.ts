import type { HttpBindings } from '@hono/node-server';
import type { Caller } from '../service.ts';

/** What handlers find in their context. */
export interface Env {
  readonly Bindings: HttpBindings;
  readonly Variables: { caller: Caller };
}
