import { z } from 'zod';
import { envoyForms, envoyStates } from '../../inspect/envoys.ts';

const time = z.string().meta({ format: 'date-time' });
const more = z.int().meta({ description: 'How many there are beside these.' }).optional();
const version = z.object({ version: z.string(), at: time });

const resource = z
  .object({
    type: z.string().meta({ description: 'As xDS names it.' }),
    name: z.string(),
    sent: version
      .meta({ description: 'Last. Not given: the Envoy came with what it is to have.' })
      .optional(),
    taken: version.meta({ description: 'What the Envoy has said it uses.' }).optional(),
    refused: z.boolean().meta({ description: 'Whether the Envoy refuses what it is to have.' }),
    denies: z.string().meta({ description: 'Why what it is to have lets nobody in.' }).optional(),
    outdated: z
      .string()
      .meta({ description: 'Why it is not what the policies say now, which cannot be exported.' })
      .optional(),
  })
  .meta({ id: 'EnvoyResource' });

const envoy = z
  .object({
    id: z.string().meta({ description: 'What it calls itself.' }),
    cluster: z.string(),
    dataplane: z
      .object({ mesh: z.string(), name: z.string() })
      .meta({ description: 'Not given: it does not say which one it is, and lets nobody in.' })
      .optional(),
    form: z.enum(envoyForms),
    connected: time,
    state: z.enum(envoyStates).meta({
      description:
        'refused: it does not take some of what it is to have; waiting: it has not taken all of it yet; outdated: it has, and some of it is not what the policies say now, which cannot be exported; current: it is.',
    }),
    resources: z.array(resource),
    more,
    lastRefusal: z
      .object({
        at: time,
        words: z.string().meta({ description: "The Envoy's own." }),
        resources: z.array(z.object({ name: z.string(), version: z.string() })),
        more,
      })
      .meta({ description: 'The last time that it could not use what it was sent, whatever has come since.' })
      .optional(),
    worker: z.int().meta({ description: 'To which of several processes it is connected.' }).optional(),
  })
  .meta({ id: 'EnvoyStatus', description: 'How it stands with an Envoy that gets its filters here.' });

export const envoys = z
  .object({
    total: z.int(),
    envoys: z.array(envoy),
    next: z.int().meta({ description: 'The offset of the page after, if there is one.' }).optional(),
  })
  .meta({ id: 'EnvoyStatuses' });
