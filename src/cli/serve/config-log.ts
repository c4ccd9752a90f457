import { z } from 'zod';
import { count, path, seconds, share } from './config-parts.ts';

/** Where decisions are written down, and which of them. */
export const logSchema = z
  .strictObject({
    to: z
      .enum(['stdout', 'file', 'http', 'none'])
      .meta({ description: 'Where decisions are written down.' })
      .default('stdout'),
    file: path(
      'The file, for `to: file`; workers after the first have `-2`, `-3`, … in its name.',
    ).optional(),
    fileBytes: count(4_096, 1e12, 'Bytes after which the file is put aside.').default(104_857_600),
    files: count(1, 1_000, 'Files that are kept.').default(5),
    url: z
      .url({ protocol: /^https?$/ })
      .meta({ description: 'The collector, for `to: http`.' })
      .optional(),
    authorizationFile: path('The value of `authorization` for the collector.').optional(),
    timeout: seconds(0.1, 300, 'That the collector has to answer.').default(10),
    allows: share('Share of allows that is written; those in which the shadow differs all are.').default(
      0.01,
    ),
    denies: share('Share of denies that is written.').default(1),
    perSecond: count(1, 1_000_000, 'Lines a second at most; more are counted, not written.').default(100),
    queueBytes: count(
      65_536,
      1_073_741_824,
      'Characters that wait at most; more are counted, not written.',
    ).default(8_388_608),
    mask: z
      .array(z.string().min(1))
      .meta({ description: 'Keys whose values are not written: k8s:label:*, request:path, spiffe:id, …' })
      .default([]),
    saltFile: path('Salt of masked values; not given, one is made at each start.').optional(),
  })
  .superRefine((log, context) => {
    for (const [to, key] of [
      ['file', 'file'],
      ['http', 'url'],
    ] as const)
      if (log.to === to && log[key] === undefined)
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `got nothing, want a value where "to" is "${to}"`,
          params: { code: 'missing' },
        });
  });

export type LogConfig = z.infer<typeof logSchema>;
