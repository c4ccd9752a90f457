import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { didYouMean, nameOf, unknownFieldMessage } from '../../pdp/model/words.ts';
import { violation, violationsOf, type Wider } from '../schema/issues.ts';
import { fieldsAt } from '../schema/walk.ts';
import { isOlder } from './described.ts';
import { placet } from './groups.ts';
import type { Head } from './head.ts';
import type { Kind, Kinds, Reading } from './kind.ts';
import { listViolation } from './list.ts';
import { readMetadata } from './metadata.ts';
import { otherVersion, resolve } from './resolve.ts';

/** Reads a document in either shape: Kubernetes' (`apiVersion`, `kind`, `metadata`) or the short one (`type`). */

export type Envelope =
  | {
      readonly as: 'read';
      readonly head: Head;
      readonly spec: unknown;
      readonly kind: Kind;
      readonly reading: Reading;
    }
  | { readonly as: 'ignored'; readonly kind: string; readonly name: string }
  | { readonly as: 'nothing' }
  | { readonly as: 'refused'; readonly violations: readonly Violation[]; readonly rest?: Rest };

/** What can be told of a document that is refused. */
export interface Rest {
  readonly head: Head;
  /** Of any form. */
  readonly spec: unknown;
  readonly kind: Kind;
  /** Whether what it calls itself is right. */
  readonly named: boolean;
}

/** Fields that a server sets, in either shape, and the one by which editors find a schema. */
const served = ['$schema', 'status', 'creationTime', 'modificationTime', 'kri'];
const shortFields = ['type', 'name', 'mesh', 'namespace', 'labels', 'annotations', 'spec'];
const kubernetesFields = ['apiVersion', 'kind', 'metadata', 'spec'];

export function readEnvelope(value: unknown, document: number, root: Path, kinds: Kinds): Envelope {
  if (value === null || value === undefined) return { as: 'nothing' };
  if (!isFields(value))
    return refuse(violation(root, 'type', `got ${nameOf(value)}, want a document, which is an object`));
  const kubernetes =
    value['apiVersion'] !== undefined || value['kind'] !== undefined || value['metadata'] !== undefined;
  if (!kubernetes && value['type'] === undefined) {
    if (liesBeside(value)) return { as: 'nothing' };
    const message = 'got neither "type" nor "apiVersion" and "kind", want to know what the document is';
    return refuse(violation(root, 'missing', message, meantBy(value)));
  }
  return kubernetes ? readKubernetes(value, document, root, kinds) : readShort(value, document, root, kinds);
}

function meantBy(value: Fields): string | undefined {
  if (value['request'] !== undefined && value['want'] !== undefined)
    return 'cases of "placet test" stand in a list "cases"';
  const near = Object.keys(value).map((key) => didYouMean(key, ['type', 'kind', 'apiVersion', 'cases']));
  return near.find((hint) => hint !== undefined);
}

/** Cases of `placet test` and the JSON Schemas for editors lie beside policies (SPEC DOC1). */
function liesBeside(value: Fields): boolean {
  const schema = value['$schema'];
  return (
    value['cases'] !== undefined || (typeof schema === 'string' && schema.includes('//json-schema.org/'))
  );
}

const twoForms = 'write "type" with "name", or "apiVersion" and "kind" with "metadata"';

function readKubernetes(value: Fields, document: number, root: Path, kinds: Kinds): Envelope {
  const { type, name, apiVersion, kind } = value;
  if (type !== undefined && apiVersion === undefined && kind === undefined) {
    const message = 'got "metadata" beside "type", want one form or the other';
    return refuse(violation([...root, 'metadata'], 'conflict', message, twoForms));
  }
  const missing = ['apiVersion', 'kind'].filter((field) => typeof value[field] !== 'string');
  if (missing.length > 0) {
    const hint = type === undefined && name === undefined ? undefined : twoForms;
    const known = typeof kind === 'string' ? kinds.get(kind) : undefined;
    const said = (field: string) =>
      field === 'apiVersion' && apiVersion === undefined && known !== undefined
        ? otherVersion(undefined, known)
        : `got ${nameOf(value[field])}, want a string`;
    return refuse(
      ...missing.map((field) =>
        violation(
          [...root, field],
          value[field] === undefined ? 'missing' : 'type',
          said(field),
          value[field] === undefined ? hint : undefined,
        ),
      ),
    );
  }
  const ofList = listViolation(value, root);
  if (ofList !== undefined) return refuse(ofList);
  return readAs(value, value['kind'] as string, value['apiVersion'] as string, { document, root }, kinds);
}

function readShort(value: Fields, document: number, root: Path, kinds: Kinds): Envelope {
  const type = value['type'];
  if (typeof type !== 'string')
    return refuse(violation([...root, 'type'], 'type', `got ${nameOf(type)}, want a string`));
  return readAs(value, type, undefined, { document, root }, kinds);
}

function readAs(
  value: Fields,
  name: string,
  apiVersion: string | undefined,
  { document, root }: Pick<Head, 'document' | 'root'>,
  kinds: Kinds,
): Envelope {
  const resolved = resolve(name, apiVersion, kinds);
  if (resolved.as === 'refused') {
    const { path, code, message, hint } = resolved.flaw;
    return refuse(violation([...root, ...(path ?? [])], code, message, hint));
  }
  if (resolved.as === 'ignored') return ignoredAs(name, apiVersion === undefined ? value : value['metadata']);
  const { kind, reading } = resolved;
  const { spec, specPath, strays } = fieldsOf(value, kind, reading, apiVersion !== undefined);
  if (kind.described !== undefined && (isOlder(spec) || isOlder(value)))
    return ignoredAs(name, apiVersion === undefined ? value : value['metadata']);
  const violations: Violation[] = [];
  for (const key of strays.unknown) {
    const hint = strays.moved.has(key) ? `write it under "spec"` : didYouMean(key, strays.known);
    violations.push(violation([...root, key], 'unknown-field', unknownFieldMessage(key, strays.known), hint));
  }
  const metadata = readMetadata(value, kind, apiVersion !== undefined, root);
  violations.push(...metadata.violations, ...specViolations(spec, kind, reading, root, specPath));
  const head: Head = {
    kind: kind.name,
    ...(kind.shortName === undefined ? {} : { shortName: kind.shortName }),
    apiVersion: reading.apiVersion,
    ...metadata.found,
    document,
    root,
    ...(apiVersion === undefined ? {} : { metadataPath: [...root, 'metadata'] }),
    specPath: root.length === 0 ? specPath : [...root, ...specPath],
  };
  if (violations.length === 0) return { as: 'read', head, spec, kind, reading };
  return { as: 'refused', violations, rest: { head, spec, kind, named: metadata.violations.length === 0 } };
}

function ignoredAs(kind: string, metadata: unknown): Envelope {
  const named = isFields(metadata) ? metadata['name'] : undefined;
  return { as: 'ignored', kind, name: typeof named === 'string' ? named : '' };
}

const atRoot: Path = [];
const underSpec: Path = ['spec'];
const none = { unknown: [] as string[], known: [] as readonly string[], moved: new Set<string>() };

/** Finds the kind's own fields: under `spec`, or, in the short form, beside the name. */
function fieldsOf(value: Fields, kind: Kind, reading: Reading, kubernetes: boolean) {
  if (reading.metadataOnly === true) return { spec: undefined, specPath: atRoot, strays: none };
  const envelope = kubernetes ? kubernetesEnvelope(kind) : shortEnvelope(kind);
  const inline = !kubernetes && (value['spec'] === undefined || value['spec'] === null);
  const rest: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const key of Object.keys(value)) {
    if (envelope.includes(key) || served.includes(key)) continue;
    if (inline) rest[key] = value[key];
    else unknown.push(key);
  }
  if (inline) return { spec: rest, specPath: atRoot, strays: none };
  // An absent spec reads as an empty one, so that what it lacks is named field by field.
  const spec = value['spec'] ?? {};
  if (unknown.length === 0) return { spec, specPath: underSpec, strays: none };
  const moved = new Set(unknown.filter((key) => fieldsAt(reading.schema, []).includes(key)));
  return { spec, specPath: underSpec, strays: { unknown, known: envelope, moved } };
}

function kubernetesEnvelope(kind: Kind): readonly string[] {
  return kind.mesh ? kubernetesFieldsWithMesh : kubernetesFields;
}

const shortFieldsWithoutMesh = shortFields.filter((field) => field !== 'mesh');
const kubernetesFieldsWithMesh = [...kubernetesFields, 'mesh'];

/** The namespace of a kind that has none is refused with the metadata. */
function shortEnvelope(kind: Kind): readonly string[] {
  return kind.mesh ? shortFields : shortFieldsWithoutMesh;
}

function specViolations(
  spec: unknown,
  kind: Kind,
  reading: Reading,
  root: Path,
  specPath: Path,
): readonly Violation[] {
  const parsed = reading.schema.safeParse(spec);
  if (parsed.success) return [];
  const beside = specPath.length === 0 ? shortEnvelope(kind) : [];
  const { schema } = reading;
  const found = violationsOf(parsed.error.issues, {
    schema,
    input: spec,
    beside,
    wider: widerOf(kind, reading),
  });
  const path = [...root, ...specPath];
  return path.length === 0 ? found : found.map((one) => ({ ...one, path: [...path, ...one.path] }));
}

function widerOf(kind: Kind, reading: Reading): Wider | undefined {
  return kind.readings.find((one) => one !== reading && one.apiVersion === placet);
}

function refuse(...violations: readonly Violation[]): Envelope {
  return { as: 'refused', violations };
}
