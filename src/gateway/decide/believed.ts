import type { CompletePrefixes, RequestSource, Role, Stated } from '../../pdp/model/request.ts';
import type { Identification } from '../service.ts';

/**
 * What was found of a client, as far as whoever hands the evidence over is believed to have checked that it is the
 * client's (decision 038). Everything that is shown or decided goes through here (SPEC SVC3, INSP3).
 */
export function believed(all: Identification, roles: ReadonlySet<Role>): Identification {
  if (roles.has('relay')) return all;
  const { source, found } = all;
  return {
    ...all,
    source: assertedSource(source),
    ...(found === undefined
      ? {}
      : {
          found: {
            ...found,
            values: found.values.map(asserted),
            outranked: found.outranked.map(asserted),
            complete: assertedPrefixes(found.complete),
            conflicts: found.conflicts.map((one) => ({ ...one, values: one.values.map(asserted) })),
          },
        }),
  };
}

function assertedSource(source: RequestSource): RequestSource {
  const { attributes, complete } = source;
  return {
    ...source,
    ...(attributes === undefined
      ? {}
      : {
          attributes: Object.fromEntries(Object.entries(attributes).map(([key, one]) => [key, stated(one)])),
        }),
    ...(typeof complete === 'object' ? { complete: assertedPrefixes(complete) } : {}),
  };
}

/** That nobody can tell a value is no more for being believed. */
function stated(one: Stated): Stated {
  if (typeof one === 'string') return { value: one, trust: 'asserted' };
  return 'value' in one ? asserted(one) : one;
}

function asserted<T extends object>(one: T): T & { readonly trust: 'asserted' } {
  return { ...one, trust: 'asserted' };
}

function assertedPrefixes(complete: CompletePrefixes): CompletePrefixes {
  return Object.fromEntries(Object.keys(complete).map((prefix) => [prefix, 'asserted' as const]));
}
