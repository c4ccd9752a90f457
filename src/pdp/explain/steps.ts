import { keys, type Pattern, type Side } from '../model/rule.ts';
import type { Trust } from '../model/trust.ts';
import type { Seen } from './seen.ts';

/** What a value would have to be. */
export type Wanted =
  | { readonly is: 'value'; readonly value: string }
  /** Any value that the pattern matches and the exceptions do not. An exact one is a route's name (DST8). */
  | { readonly is: 'within'; readonly pattern: Pattern; readonly except: readonly Pattern[] }
  | { readonly is: 'other'; readonly than: readonly Pattern[] }
  | { readonly is: 'absent' };

/**
 * One thing that would have to be otherwise. Only a `change` says what to: another identity, site or trust is nothing
 * that a requester could be asked to put on.
 */
export interface Step {
  readonly need: 'change' | 'identity' | 'site' | 'trust';
  readonly side: Side;
  readonly key: string;
  readonly to?: Wanted;
  /** The least trust that is asked for, where the value's is less. */
  readonly trust?: Trust;
  /** What the value counts for as things are. */
  readonly counts?: Trust;
  /** [SRC8] It may not be set where the source is. */
  readonly believed?: false;
  readonly words: string;
}

export function wordsFor(step: Omit<Step, 'words'>, seen: Seen): string {
  const { need, to, trust, counts, believed } = step;
  const name = nameOf(step);
  if (need === 'identity' || need === 'site')
    return `needs another ${need} (${name}${seen.state === 'unknown' ? ' is not known' : ''})`;
  const target = to === undefined ? '' : targetInWords(to, seen);
  if (need === 'trust') {
    if (believed === false) return `needs trust: ${name} is not believed from this namespace`;
    const at = trust === undefined ? '' : ` known as ${trust} at least, not as ${counts ?? 'nothing'}`;
    return `needs trust: ${name}${target === '' ? '' : `${target},`}${at}`;
  }
  const pods = seen.pods === undefined ? '' : `; ${seen.pods.join(', ')} share the SPIFFE ID and differ`;
  return `${name}${target}${pods}`;
}

function nameOf({ side, key }: Pick<Step, 'side' | 'key'>): string {
  if (side !== 'destination') return key;
  if (key === keys.route) return 'destination.route';
  return key === keys.namespace ? 'destination.namespace' : `destination ${key}`;
}

function targetInWords(to: Wanted, seen: Seen): string {
  const half = seen.state === 'unknown' || seen.anyNamespace === true;
  const verb = half ? 'is known to be' : seen.state === 'known' ? 'becomes' : 'is set to';
  if (to.is === 'absent') return seen.state === 'unknown' ? ' is known to be absent' : ' is left out';
  if (to.is === 'value') return ` ${verb} ${to.value === '' ? '""' : to.value}`;
  if (to.is === 'within') {
    const except = to.except.length === 0 ? '' : ` but ${patternsInWords(to.except)}`;
    // DST8: only of a route, whose name without a namespace stands for it in each.
    if (to.pattern.match === 'exact') return ` ${verb} ${to.pattern.value} in any namespace${except}`;
    return ` ${verb} anything ${patternInWords(to.pattern)}${except}`;
  }
  if (to.than.length > 0) return ` ${verb} anything but ${patternsInWords(to.than)}`;
  return ` ${verb} anything`;
}

const mostShown = 4;

function patternsInWords(patterns: readonly Pattern[]): string {
  const shown = patterns.slice(0, mostShown).map((pattern) => {
    if (pattern.match === 'exact') return pattern.value;
    return pattern.match === 'prefix'
      ? `what starts with ${pattern.value}`
      : `what is ${patternInWords(pattern)}`;
  });
  const more = patterns.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function patternInWords({ match, value }: Pattern): string {
  if (match === 'exact') return value;
  return match === 'prefix' ? `that starts with ${value}` : `at or below ${value === '' ? '/' : value}`;
}

/** What names the part of a destination that is meant. */
export function sectionStep(section: string): Step {
  const step = {
    need: 'change',
    side: 'destination',
    key: keys.section,
    to: { is: 'value', value: section },
  } as const;
  return { ...step, words: `destination.inbound is given as ${section}` };
}
