import { z } from 'zod';
import { choiceNotes } from '../schema/fields.ts';
import type { WrittenTargetRef } from '../targets/target-ref.ts';

/** Says of kinds of a `targetRef` that have no meaning where they stand what to write instead. */
export function withHints(
  schema: z.ZodObject,
  hints: Readonly<Record<string, string>>,
): z.ZodType<WrittenTargetRef> {
  const { kind } = schema.shape;
  const choice = (kind instanceof z.ZodOptional ? kind.unwrap() : kind) as z.ZodType;
  choiceNotes.set(choice, { ...choiceNotes.get(choice), hints });
  return schema as unknown as z.ZodType<WrittenTargetRef>;
}
