import { byPlace } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import type { Loaded } from '../load.ts';
import { covered } from './covered.ts';
import type { Finding, Ground, LintCode } from './finding.ts';
import { keysOf } from './keys.ts';
import { labelNamesOf } from './label-names.ts';
import { labelsAcrossNamespaces } from './labels.ts';
import { levelsOf } from './levels.ts';
import { masks } from './masks/findings.ts';
import { onlyDenies } from './only-denies.ts';
import { prefixes } from './prefixes.ts';
import { selectors } from './selectors.ts';
import { layer7OnTcp } from './tcp.ts';
import { floors } from './trust/floors.ts';
import { setters } from './trust/setters.ts';
import { unreadKeys } from './trust/unread.ts';
import { trustDomains } from './trust-domains.ts';

export type { Finding, LintCode } from './finding.ts';

const lints: readonly ((ground: Ground) => void)[] = [
  prefixes,
  covered,
  selectors,
  onlyDenies,
  keysOf,
  layer7OnTcp,
  labelsAcrossNamespaces,
  masks,
  floors,
  setters,
  unreadKeys,
  labelNamesOf,
  levelsOf,
  trustDomains,
];

const severities: Readonly<Partial<Record<LintCode, Finding['severity']>>> = {
  'tcp-l7': 'error',
  masks: 'note',
};

/** What is worth saying of a set that has no violations, in the order of its documents. */
export function lint(loaded: Loaded, documents: readonly Document[]): readonly Finding[] {
  return lintByDocument(loaded, documents).map(({ finding }) => finding);
}

/** The same, each with the document that it is about. */
export function lintByDocument(
  loaded: Loaded,
  documents: readonly Document[],
): readonly { readonly document: number; readonly finding: Finding }[] {
  const found: { readonly document: number; readonly finding: Finding }[] = [];
  const ground: Ground = {
    loaded,
    documents,
    report(document, path, { code, message, hint }) {
      const place = documents[document]?.place(path);
      const severity = severities[code] ?? 'warning';
      const finding: Finding = {
        code,
        severity,
        path,
        message,
        hint,
        ...(place === undefined ? {} : { place }),
      };
      found.push({ document, finding });
    },
  };
  for (const one of lints) one(ground);
  return found.sort((a, b) => a.document - b.document || byPlace(a.finding, b.finding));
}
