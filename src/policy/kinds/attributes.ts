import { z } from 'zod';
import { attributeKeyFlaw, attributeValueFlaw } from '../schema/text-flaws.ts';
import { quote } from '../schema/words.ts';

/** Keys that Placet itself gives. */
const own = ['request:', 'placet:', 'kuma:'];

/** Attributes outright, but for those that other fields of the document give. */
export function attributes(description: string, given: readonly string[], scopes: readonly string[] = []) {
  return z
    .record(z.string(), z.string())
    .check((context) => {
      for (const [key, value] of Object.entries(context.value)) {
        const flaw = attributeKeyFlaw(key) ?? attributeValueFlaw(value) ?? givenFlaw(key, given, scopes);
        if (flaw === undefined) continue;
        context.issues.push({
          code: 'custom',
          input: value,
          message: flaw.message,
          path: [key],
          params: { code: flaw.code },
          continue: true,
        });
      }
    })
    .meta({ description });
}

function givenFlaw(key: string, given: readonly string[], scopes: readonly string[]) {
  const reserved = own.find((scope) => key.startsWith(scope));
  if (reserved !== undefined)
    return {
      code: 'value' as const,
      message: `got ${quote(key)}, want a key that Placet does not give itself`,
    };
  if (!given.includes(key) && !scopes.some((scope) => key.startsWith(scope))) return undefined;
  return {
    code: 'conflict' as const,
    message: `got ${quote(key)}, which another field of the document gives`,
  };
}
