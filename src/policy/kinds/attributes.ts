import { stringsThat } from '../schema/fields.ts';
import type { Flaw } from '../schema/flaw.ts';
import { attributeFlaw } from '../schema/text-flaws.ts';
import { quote } from '../schema/words.ts';

/** Keys that Placet itself gives. */
const own = ['request:', 'placet:', 'kuma:'];

/** Attributes outright, but for those that other fields of the document give. */
export function attributes(description: string, given: readonly string[], scopes: readonly string[] = []) {
  return stringsThat((key, value) => attributeFlaw(key, value) ?? givenFlaw(key, given, scopes), description);
}

function givenFlaw(key: string, given: readonly string[], scopes: readonly string[]): Flaw | undefined {
  const reserved = own.find((scope) => key.startsWith(scope));
  if (reserved !== undefined)
    return {
      code: 'value' as const,
      message: `got ${quote(key)}, want a key that Placet does not give itself`,
    };
  if (!given.includes(key) && !scopes.some((scope) => key.startsWith(scope))) return undefined;
  const message = `got ${quote(key)}, which another field of the document gives`;
  if (!given.includes(key)) return { code: 'conflict' as const, message };
  const hint = `write ${quote(`${key.slice(key.indexOf(':') + 1)}: …`)} beside "attributes"`;
  return { code: 'conflict' as const, message, hint };
}
