import type { Governed, Governing } from '../../pdp/governing.ts';
import { type Condition, effectOf, isLayer7, keys } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { beginsAsOfSite } from './exchange/token.ts';
import { templateKeys } from './template.ts';
import type { AttributeSource, ExportClass, FilterKind, PolicyReport } from './types.ts';

/** How each policy is carried over, and why not exactly. */

export interface Circumstances {
  readonly filter: FilterKind;
  readonly attributes: AttributeSource;
  /** The certificates carry tags. */
  readonly tags: boolean;
  /** Clients come with tokens. */
  readonly tokens: boolean;
  /** The literal table of the tag paper. */
  readonly literal: boolean;
  readonly snapshot: string;
}

const worst: readonly ExportClass[] = ['exact', 'narrower', 'wider (paper)', 'not exportable'];

interface Finding {
  readonly class: ExportClass;
  readonly note: string;
}

export function policyReports(
  everywhere: readonly Governing[],
  circumstances: Circumstances,
): readonly PolicyReport[] {
  const byName = new Map<string, Map<string, ExportClass> | undefined>();
  for (const governing of everywhere)
    for (const governed of governing.entries) {
      const name = governed.rule.origin.kri;
      const findings = findingsOf(governed, governing, circumstances);
      if (findings.length === 0 && byName.has(name)) continue;
      const notes = byName.get(name) ?? (findings.length === 0 ? undefined : new Map<string, ExportClass>());
      byName.set(name, notes);
      for (const finding of findings) notes?.set(finding.note, finding.class);
    }
  return [...byName]
    .sort(([a], [b]) => byText(a, b))
    .map(([name, notes]) => {
      if (notes === undefined) return { name, class: 'exact', notes: [] };
      const found = [...notes.values()].map((one) => worst.indexOf(one));
      const worstFound = worst[Math.max(0, ...found)] as ExportClass;
      return { name, class: worstFound, notes: [...notes.keys()].sort(byText) };
    });
}

function findingsOf(governed: Governed, governing: Governing, about: Circumstances): readonly Finding[] {
  const found: Finding[] = [];
  const note = (text: string, of: ExportClass = 'exact') => found.push({ class: of, note: text });
  const layer7 = governed.when.some(isLayer7);
  const denies = effectOf(governed.tier) === 'deny';
  if (layer7 && about.filter === 'network') {
    const path = governed.when.some(({ key }) => key === keys.path);
    const hidden = 'method or path, which a connection does not show';
    if (governing.protocol === 'http' && path)
      note('reads paths, and a network filter could not deny those that are ambiguous', 'not exportable');
    else if (governing.protocol === 'http')
      note('reads methods, which a network filter does not see: it allows less and denies more', 'narrower');
    else if (denies) note(`denies by ${hidden}: it denies all of them`);
    else note(`allows by ${hidden}: it allows nothing`);
  }
  for (const { key } of governed.open)
    note(
      key === keys.route
        ? 'is for a route, and which route a request takes is not known here: it denies on all of them'
        : `asks for ${key} of the destination, which is not known: it denies as if it held`,
    );
  if (about.literal)
    note('as the paper writes it: bare negations let in peers without a certificate', 'wider (paper)');
  if (about.tags) return found;
  const claimed = about.tokens ? claimedKeys(governed).join(', ') : '';
  if (claimed !== '') note(`reads ${claimed} out of the exchange token`);
  const asked = resolvedKeys(governed, about.tokens).join(', ');
  if (asked === '') return found;
  if (about.attributes === 'jwt' && !about.tokens)
    note(
      `reads ${asked} out of the exchange token, which names the export that it is for, and an inbound is none`,
      'not exportable',
    );
  else note(`reads ${asked}, known by the inventory of snapshot ${about.snapshot}`);
  return found;
}

/** What the text of an ID does not tell; with tokens, what is known of the peers' sites. */
export function resolvedKeys(governed: Governed, tokens: boolean): readonly string[] {
  return keysOf(governed, (one) => isResolved(one) && (!tokens || beginsAsOfSite(one.key)));
}

function claimedKeys(governed: Governed): readonly string[] {
  return keysOf(governed, ({ side, key }) => side === 'source' && !beginsAsOfSite(key));
}

function keysOf({ when }: Governed, wanted: (one: Condition) => boolean): readonly string[] {
  if (!when.some(wanted)) return [];
  return [...new Set(when.filter(wanted).map(({ key }) => key))].sort(byText);
}

function isResolved({ side, key }: Condition): boolean {
  return (
    side === 'source' &&
    !key.startsWith('spiffe:') &&
    !templateKeys.includes(key) &&
    key !== keys.mesh &&
    !key.startsWith(keys.tag)
  );
}
