import { type ExportRefused, refused } from './refused.ts';
import type { Form } from './types.ts';

/** Which Envoy has what. Versions are `major.minor`. */
export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** The one that the facts here were found on. */
export const provedVersion = '1.40';

/** Trees fall back from a nested matcher without a match to shorter prefixes. */
const treeSince: Version = { major: 1, minor: 35 };
/** The principal that sees each URI of a validated certificate by itself. */
const principalSince: Version = { major: 1, minor: 34 };
/** RBAC filters take matchers over the peer's certificate. */
const matcherSince: Version = { major: 1, minor: 26 };

export function parseVersion(text: string): Version {
  const found = /^v?([1-9]\d{0,3})\.(\d{1,4})(?:\.\d{1,4})?$/.exec(text);
  if (found === null)
    throw refused('version', `got the version ${JSON.stringify(text)}, want one like ${provedVersion}`);
  return { major: Number(found[1]), minor: Number(found[2]) };
}

export function showVersion({ major, minor }: Version): string {
  return `${major}.${minor}`;
}

function has(version: Version, since: Version): boolean {
  return version.major > since.major || (version.major === since.major && version.minor >= since.minor);
}

/**
 * The oldest version that reads what this one does, if that is less than all: versions that are exported to alike are
 * one. Undefined for all others.
 */
export function olderThanAll(version: Version): string | undefined {
  if (has(version, treeSince)) return undefined;
  const found = [principalSince, matcherSince].find((since) => has(version, since));
  return showVersion(found ?? { ...matcherSince, minor: matcherSince.minor - 1 });
}

export interface ChosenForm {
  readonly form: Form;
  /** The oldest Envoy that reads it. */
  readonly since: Version;
  readonly warning?: string;
}

/** The form asked for, or the best that the version reads; what it falls back to it says, and why. */
export function formFor(wanted: Form | undefined, version: Version): ChosenForm {
  if (wanted === 'table') return { form: 'table', since: { major: 1, minor: 0 } };
  if (!has(version, matcherSince)) throw tooOld(version, matcherSince, 'matchers over the peer certificate');
  if (wanted === 'list') return { form: 'list', since: matcherSince };
  if (has(version, treeSince)) return { form: 'tree', since: treeSince };
  const why = `trees of Envoy before ${showVersion(treeSince)} do not go back to shorter prefixes`;
  return {
    form: 'list',
    since: matcherSince,
    warning: `the form is list, not tree: ${why}, and ${showVersion(version)} is meant`,
  };
}

/** Certificates of tags can only be read safely by this one. */
export function requirePrincipals(version: Version): Version {
  if (!has(version, principalSince))
    throw tooOld(version, principalSince, 'the principal mtls_authenticated, which sees each URI by itself');
  return principalSince;
}

/** Tokens are checked by parts of Envoy that came one after the other; all of them were tried on this one alone. */
export function requireTokens(version: Version): Version {
  const proved = parseVersion(provedVersion);
  if (!has(version, proved))
    throw tooOld(version, proved, 'what tokens are checked with, as far as that was tried');
  return proved;
}

function tooOld(version: Version, since: Version, what: string): ExportRefused {
  return refused(
    'version',
    `got Envoy ${showVersion(version)}, want ${showVersion(since)} or later: it is the first with ${what}`,
    'give --target-version if the proxies run a newer one',
  );
}
