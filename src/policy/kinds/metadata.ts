import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { didYouMean, nameOf, oneOf, quote, unknownFieldMessage } from '../../pdp/model/words.ts';
import { inQuotes, violation } from '../schema/issues.ts';
import { nameFlaw } from '../schema/text-flaws.ts';
import { type Head, type Labels, labelNames, noLabels } from './head.ts';
import type { Kind } from './kind.ts';

/** Name, namespace, mesh and labels, of either shape. */

export type Found = Pick<Head, 'name' | 'namespace' | 'mesh' | 'labels'>;

interface Reader {
  readonly fields: Fields;
  /** Where name, namespace and labels stand. */
  readonly path: Path;
  readonly violations: Violation[];
}

/** What the API server adds to a document's metadata, and `annotations`. */
export const servedMetadata = [
  'annotations',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'ownerReferences',
  'finalizers',
  'selfLink',
  'generateName',
];
const metadataFields = ['name', 'namespace', 'labels', ...servedMetadata];

export function readMetadata(
  value: Fields,
  kind: Kind,
  kubernetes: boolean,
  root: Path,
): { readonly found: Found; readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  let reader: Reader = { fields: value, path: root, violations };
  if (kubernetes) {
    const metadata = value['metadata'];
    const path = [...root, 'metadata'];
    if (isFields(metadata)) strangers(metadata, path, violations);
    else
      violations.push(
        violation(path, codeOf(metadata), `got ${nameOf(metadata)}, want an object with a name`),
      );
    reader = { fields: isFields(metadata) ? metadata : {}, path, violations };
    if (!isFields(metadata))
      return { found: { name: '', namespace: undefined, mesh: '', labels: noLabels }, violations };
  }
  const name = readName(reader, 'name', true) ?? '';
  const labels = readLabels(reader);
  const namespace = readNamespace(reader, kind);
  const mesh = kind.mesh ? readMesh({ fields: value, path: root, violations }, labels, reader) : '';
  return { found: { name, namespace, mesh, labels }, violations };
}

function strangers(metadata: Fields, path: Path, violations: Violation[]): void {
  for (const key of Object.keys(metadata))
    if (!metadataFields.includes(key)) {
      const known = ['name', 'namespace', 'labels', 'annotations'];
      violations.push(
        violation([...path, key], 'unknown-field', unknownFieldMessage(key, known), didYouMean(key, known)),
      );
    }
}

function readName(reader: Reader, field: string, required: boolean): string | undefined {
  const value = reader.fields[field];
  if (!required && !isGiven(value)) return undefined;
  const path = [...reader.path, field];
  if (typeof value !== 'string') {
    const hint = isQuotable(value) ? inQuotes : undefined;
    reader.violations.push(violation(path, codeOf(value), `got ${nameOf(value)}, want a string`, hint));
    return undefined;
  }
  const flaw = nameFlaw(value);
  if (flaw !== undefined) reader.violations.push(violation(path, flaw.code, flaw.message, flaw.hint));
  return value;
}

function readNamespace(reader: Reader, kind: Kind): string | undefined {
  if (kind.namespace === 'none') {
    const value = reader.fields['namespace'];
    if (!isGiven(value)) return undefined;
    const message = `got the namespace ${nameOf(value)}, want none: a ${kind.name} belongs to no namespace`;
    const hint = kind.name === 'PrivilegedAccessPolicy' ? 'an AccessPolicy has one' : undefined;
    reader.violations.push(violation([...reader.path, 'namespace'], 'conflict', message, hint));
    return undefined;
  }
  return readName(reader, 'namespace', false) ?? (kind.namespace === 'default' ? 'default' : undefined);
}

function readMesh(top: Reader, labels: Labels, metadata: Reader): string {
  const written = readName(top, 'mesh', false);
  const labelled = labels[labelNames.mesh];
  // Not the mesh that is meant where none is written.
  if (written === undefined && isGiven(top.fields['mesh'])) return '';
  if (written !== undefined && labelled !== undefined && written !== labelled) {
    const message = `got ${quote(labelled)}, want ${quote(written)} as in "mesh"`;
    top.violations.push(violation([...metadata.path, 'labels', labelNames.mesh], 'conflict', message));
  }
  return written ?? labelled ?? 'default';
}

/** Labels with a meaning here may not be misspelt: a shadow policy would be enforced. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  [labelNames.effect]: ['shadow'],
  [labelNames.origin]: ['global', 'zone'],
  [labelNames.role]: ['system', 'producer', 'consumer', 'workload-owner'],
};
const names: readonly string[] = [
  labelNames.mesh,
  labelNames.zone,
  labelNames.displayName,
  labelNames.namespace,
];

function readLabels(reader: Reader): Labels {
  const labels = readStrings(reader, 'labels');
  for (const [label, accepted] of Object.entries(meanings)) {
    const value = labels[label];
    if (value === undefined || accepted.includes(value)) continue;
    const message = `got ${nameOf(value)}, want ${oneOf(accepted.map(quote))}`;
    const path = [...reader.path, 'labels', label];
    reader.violations.push(violation(path, 'value', message, didYouMean(value, accepted)));
  }
  for (const label of names) {
    const flaw = labels[label] === undefined ? undefined : nameFlaw(labels[label]);
    if (flaw !== undefined)
      reader.violations.push(violation([...reader.path, 'labels', label], flaw.code, flaw.message));
  }
  readStrings(reader, 'annotations');
  return labels;
}

function readStrings(reader: Reader, field: string): Labels {
  const value = reader.fields[field];
  if (value === undefined || value === null) return noLabels;
  const path = [...reader.path, field];
  if (!isFields(value)) {
    reader.violations.push(violation(path, 'type', `got ${nameOf(value)}, want an object`));
    return noLabels;
  }
  const wrong = Object.entries(value).filter(([, text]) => typeof text !== 'string');
  if (wrong.length === 0) return value as Labels;
  for (const [key, text] of wrong) {
    const hint = isQuotable(text) ? inQuotes : undefined;
    reader.violations.push(violation([...path, key], 'type', `got ${nameOf(text)}, want a string`, hint));
  }
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) as Labels;
}

function isQuotable(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function codeOf(value: unknown): 'missing' | 'type' {
  return value === undefined ? 'missing' : 'type';
}
