import { z } from 'zod';
import { reasons } from '../../pdp/model/decision.ts';
import { trustLevels } from '../../pdp/model/trust.ts';

/** What a file of cases may say. Of requests the parts are looked at elsewhere, once the defaults are there. */

const request = z.looseObject({});
const effect = z.enum(['allow', 'deny']);
const rule = z.union([z.string(), z.null()]);

export const caseFileSchema = z.strictObject({
  title: z.string().optional(),
  about: z.string().optional(),
  defaults: z.strictObject({ request: request.optional() }).optional(),
  cases: z.array(
    z.strictObject({
      note: z.string().optional(),
      request,
      want: effect,
      by: rule.optional(),
      shadow: effect.optional(),
      shadowBy: rule.optional(),
      reason: z.enum(reasons).optional(),
      tier: z.literal([0, 1, 2, 3, 4, null]).optional(),
      trust: z.literal([...trustLevels, null]).optional(),
    }),
  ),
});
