import { isOfSite } from '../../pdp/model/of-site.ts';
import { keys, ownScopes } from '../../pdp/model/rule.ts';
import { quote } from '../../pdp/model/words.ts';
import { stringsThat } from '../schema/fields.ts';
import type { Flaw } from '../schema/flaw.ts';
import { attributeFlaw } from '../schema/text-flaws.ts';

/** Attributes outright, but for those that other fields of the document give (by their names), or others below scopes. */
export function attributes(description: string, given: Given, scopes: readonly string[] = []) {
  return stringsThat((key, value) => attributeFlaw(key, value) ?? givenFlaw(key, given, scopes), description);
}

type Given = Readonly<Record<string, string>>;

function givenFlaw(key: string, given: Given, scopes: readonly string[]): Flaw | undefined {
  const reserved = ownScopes.find((scope) => key.startsWith(scope));
  if (reserved !== undefined)
    return {
      code: 'value' as const,
      message: `got ${quote(key)}, want a key that Placet does not give itself`,
    };
  const field = Object.hasOwn(given, key) ? given[key] : undefined;
  if (field === undefined && !scopes.some((scope) => key.startsWith(scope))) return undefined;
  if (field === undefined && isOfSite(key)) {
    const message = `got ${quote(key)}, want none of the site's: all that is in a site has these from it`;
    return { code: 'conflict' as const, message, hint: 'write it in the document of the Site' };
  }
  const message = `got ${quote(key)}, which another field of the document gives`;
  if (field !== undefined)
    return { code: 'conflict' as const, message, hint: `write ${quote(`${field}: …`)} beside "attributes"` };
  if (!key.startsWith(keys.k8sLabel)) return { code: 'conflict' as const, message };
  const label = quote(`${key.slice(keys.k8sLabel.length)}: …`);
  return { code: 'conflict' as const, message, hint: `write ${label} among the "labels"` };
}
