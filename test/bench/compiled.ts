import { join } from 'node:path';

/**
 * What strips the types is WebAssembly whose memory grows, which detaches a buffer, and from then on each access to a
 * typed array looks whether its own was: a twentieth of a decision. Those who run the package have none of it, nor has
 * what was compiled by an earlier process.
 */
export const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/bench'),
};
