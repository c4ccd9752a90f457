import { nearest } from '../../pdp/model/text.ts';
import { didYouMean, oneOf, quote } from '../../pdp/model/words.ts';
import type { Flaw } from '../schema/flaw.ts';
import { clusterLink, core, ignoredKinds, isKubernetesGroup, kuma, kumaKinds, placet } from './groups.ts';
import type { Kind, Kinds, Reading } from './kind.ts';

export type Resolved =
  | { readonly as: 'kind'; readonly kind: Kind; readonly reading: Reading }
  | { readonly as: 'ignored' }
  | { readonly as: 'refused'; readonly flaw: Flaw };

/** What a kind means: in a group, or without one in the short form. */
export function resolve(name: string, apiVersion: string | undefined, kinds: Kinds): Resolved {
  return apiVersion === undefined ? resolveShort(name, kinds) : resolveIn(name, apiVersion, kinds);
}

function resolveShort(name: string, kinds: Kinds): Resolved {
  const kind = kinds.get(name);
  if (kind !== undefined) return { as: 'kind', kind, reading: kind.readings[0] };
  if (kumaKinds.includes(name)) return { as: 'ignored' };
  return unknownKind(name, ['type'], '', [...kinds.values()], kumaKinds);
}

function resolveIn(name: string, apiVersion: string, kinds: Kinds): Resolved {
  const kind = kinds.get(name);
  const reading = kind?.readings.find((one) => one.apiVersion === apiVersion);
  if (kind !== undefined && reading !== undefined) return { as: 'kind', kind, reading };
  const ignored = ignoredKinds.get(apiVersion) ?? [];
  if (ignored.includes(name) || isKubernetesGroup(apiVersion)) return { as: 'ignored' };
  if (kind !== undefined) {
    const message = otherVersion(apiVersion, kind);
    return refused({ code: 'unknown-kind', message, path: ['apiVersion'] });
  }
  const known = [...kinds.values()].filter((one) => one.readings.some((r) => r.apiVersion === apiVersion));
  if (known.length === 0) return unknownGroup(apiVersion);
  return unknownKind(name, ['kind'], ` in ${quote(apiVersion)}`, known, ignored);
}

/** Of a kind in no apiVersion that has it; undefined: in none at all. */
export function otherVersion(apiVersion: string | undefined, { name, readings }: Kind): string {
  const groups = readings.map((one) => quote(one.apiVersion));
  return `got ${apiVersion === undefined ? 'nothing' : quote(apiVersion)} for the kind ${quote(name)}, want ${oneOf(groups)}`;
}

function unknownKind(
  name: string,
  path: string[],
  where: string,
  known: readonly Kind[],
  ignored: readonly string[],
): Resolved {
  const named = known.filter((kind) => kind.described === undefined && kind.resource === undefined);
  const own = named.map((kind) => kind.name);
  const message = `got the unknown kind ${quote(name)}${where}, want ${oneOf(own.map(quote))}`;
  const others = [...known.map((kind) => kind.name), ...ignored];
  // A kind that decides goes before one that does not, however near that is.
  const hint = didYouMean(name, nearest(name, own) === undefined ? others : own);
  return refused({ code: 'unknown-kind', message, path, ...(hint === undefined ? {} : { hint }) });
}

function unknownGroup(apiVersion: string): Resolved {
  const groups = [kuma, clusterLink, placet, core];
  const message = `got the unknown apiVersion ${quote(apiVersion)}, want ${oneOf(groups.map(quote))}`;
  const hint = didYouMean(apiVersion, groups);
  return refused({
    code: 'unknown-kind',
    message,
    path: ['apiVersion'],
    ...(hint === undefined ? {} : { hint }),
  });
}

function refused(flaw: Flaw): Resolved {
  return { as: 'refused', flaw };
}
