import { z } from 'zod';

/** RFC 9457, as http/problem.ts writes it. */
export const problem = z
  .object({
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What was got and what is wanted.' }).optional(),
    violations: z
      .array(
        z.object({
          field: z.string(),
          code: z.string(),
          message: z.string(),
          hint: z.string().optional(),
          line: z.int().optional(),
          column: z.int().optional(),
        }),
      )
      .meta({ description: 'All that is wrong, field by field.' })
      .optional(),
  })
  .meta({ id: 'Problem' });
