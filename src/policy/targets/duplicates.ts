import type { Fields } from '../../pdp/model/fields.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { canonicalText } from '../canonical.ts';
import { displayName, type Head, named } from '../kinds/head.ts';
import { violation } from '../schema/issues.ts';
import type { Say } from './status.ts';

interface Entry {
  readonly head: Head;
  readonly spec: Fields;
}

/**
 * Each name once, whatever the order of files (SPEC REF6): of equal documents one, of an original and its copies the
 * original; where two differ and none of them is the original none counts, since nothing says which is meant.
 */
export function onlyOnce<E extends Entry>(
  entries: readonly E[],
  keyOf: (entry: E) => string,
  whereabouts: (head: Head) => string,
  say: Say,
): readonly E[] {
  const groups = new Map<string, E[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    pushTo(groups, key, entry);
  }
  const out = new Set<E>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const kept = keptOf(group);
    for (const entry of group) {
      if (entry === kept) continue;
      out.add(entry);
      const other = kept ?? group.find((one) => one !== entry)!;
      say(entry.head, secondOf(entry.head, whereabouts(other.head), kept !== undefined));
    }
  }
  return out.size === 0 ? entries : entries.filter((entry) => !out.has(entry));
}

function keptOf<E extends Entry>(group: readonly E[]): E | undefined {
  const [first, ...rest] = group as readonly [E, ...E[]];
  const text = contentOf(first);
  if (rest.every((one) => contentOf(one) === text)) return first;
  const originals = group.filter(({ head }) => displayName(head) === head.name);
  return originals.length === 1 ? originals[0] : undefined;
}

function contentOf({ head, spec }: Entry): string {
  const canonical = canonicalText({ name: head.name, namespace: head.namespace, labels: head.labels, spec });
  return 'text' in canonical ? canonical.text : '';
}

function secondOf(head: Head, where: string, oneCounts: boolean) {
  const message = `got a second ${head.kind} ${named(head)}, another is at ${where}`;
  const hint = oneCounts ? 'this one does not count' : 'they differ, and neither counts: remove one';
  return violation(head.root, 'duplicate-document', message, hint);
}
