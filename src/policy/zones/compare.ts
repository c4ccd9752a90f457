import { canonicalText } from '../canonical.ts';
import type { Document } from '../document.ts';
import { violation } from '../schema/issues.ts';
import { copyFile, copyText } from './file.ts';
import type { Outcome } from './outcome.ts';
import { called, type Resource } from './resource.ts';
import { originOf, type Side, sideNamed } from './side.ts';
import type { Digest } from './suffix.ts';
import { keyOf, type Wanted } from './wanted.ts';

/** A document of the folder that is written to. */
export interface Held {
  readonly document: Document;
  /** From the folder, with `/` between the parts. */
  readonly file: string;
  /** Whether nothing else is in the file, and the file is no link. */
  readonly alone: boolean;
}

interface Ends {
  readonly from: Side;
  readonly to: Side;
  readonly source: readonly Document[];
  readonly target: readonly Held[];
  readonly digest: Digest;
}

/** What is to be done so that the folder holds the copies that are wanted, and no others (SPEC ZON10, ZON11). */
export function compare(
  wanted: ReadonlyMap<string, Wanted>,
  there: readonly Resource[],
  ends: Ends,
  outcome: Outcome,
): void {
  const { from, source, target } = ends;
  const documents = target.map((held) => held.document);
  const met = new Set<string>();
  for (const resource of there) {
    const key = keyOf(resource);
    const want = wanted.get(key);
    const held = target[resource.document]!;
    const file = copyFile(resource.kind, resource.name);
    const place = held.alone && held.file === file ? 'own file' : 'elsewhere';
    const ours = isOurs(resource, place, ends);
    if (want === undefined) {
      if (ours) gone(resource, place, held);
    } else if (ours) {
      met.add(key);
      settle(want, resource, place, held);
    } else if (resource.travel?.named === true) {
      met.add(key);
      outcome.act('skip', want.source, source, `${sideNamed(ends.to)} has a ${called(resource)} of its own`);
    } else if (resource.namespace === want.namespace) {
      met.add(key);
      const message = `got a ${called(resource)} that is no copy from ${sideNamed(from)}, where that of the ${called(want.source)} is to be`;
      outcome.refuse(held.document, violation(resource.root, 'conflict', message));
    }
  }
  const files = new Map(target.map((held) => [held.file, held]));
  for (const [key, want] of wanted) {
    if (met.has(key)) continue;
    const taken = files.get(copyFile(want.source.kind, want.name));
    if (taken === undefined) write('create', want, want.reason);
    else {
      const message = `got something else in the file that the copy of the ${called(want.source)} is to be in`;
      outcome.refuse(taken.document, violation([], 'conflict', message, 'move it to another file'));
    }
  }

  function settle(want: Wanted, resource: Resource, place: Spot, held: Held): void {
    if (textOf(resource.value) === textOf(want.value))
      outcome.act('skip', want.source, source, 'up to date', { file: held.file });
    else if (place === 'own file') write('update', want, 'differs from its source');
    else {
      const message = `got a copy of the ${called(want.source)} that differs from it, in a file that is not sync's to change`;
      outcome.refuse(held.document, violation(resource.root, 'conflict', message, 'remove it from there'));
    }
  }

  function gone(resource: Resource, place: Spot, { file }: Held): void {
    const why = `${sideNamed(from)} has nothing for this side that it is a copy of`;
    if (place === 'own file') outcome.act('delete', resource, documents, why, { file });
    else outcome.act('skip', resource, documents, `${why}, but its file is not sync's to remove`, { file });
  }

  function write(action: 'create' | 'update', want: Wanted, reason: string): void {
    const { value, name } = want;
    const file = copyFile(want.source.kind, name);
    outcome.act(action, want.source, source, reason, {
      file,
      text: copyText(value, want.source.kind, want.of),
    });
  }
}

type Spot = 'own file' | 'elsewhere';

/** A copy from the other end, where sync puts such. In other namespaces anybody may call things as they like. */
function isOurs(resource: Resource, place: Spot, { from, to, digest }: Ends): boolean {
  if (resource.travel === undefined) return false;
  if (place === 'elsewhere' && resource.namespace !== undefined && resource.namespace !== to.systemNamespace)
    return false;
  const origin = originOf(resource, to, digest);
  return origin.as === 'copy' && (from.zone === undefined || origin.of.zone === from.zone);
}

function textOf(value: unknown): string {
  const canonical = canonicalText(value);
  // What breaks a bound was refused when it was read.
  return 'text' in canonical ? canonical.text : '';
}
