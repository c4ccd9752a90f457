import { fileURLToPath } from 'node:url';

/** The policies that come with Placet: as far above this file in `src` as in `dist`. */
export const shippedPolicies = fileURLToPath(new URL('../../policies', import.meta.url));
