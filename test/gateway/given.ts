import { configSchema } from '../../src/cli/serve/config-schema.ts';
import { boundsOf, settingsOf } from '../../src/cli/serve/config-settings.ts';

/** What a service is told where nobody says otherwise. */
const config = configSchema.parse({});

export const bounds = boundsOf(config);
export const settings = settingsOf(config);
