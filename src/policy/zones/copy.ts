import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { byText } from '../../pdp/model/text.ts';
import { labelNames } from '../kinds/head.ts';
import type { Role } from '../targets/role.ts';
import type { Names } from './names.ts';
import type { Resource } from './resource.ts';
import type { Side } from './side.ts';

/** What a server adds, and annotations, which are notes of the place where they were made. */
const ofThePlace = ['$schema', 'status', 'creationTime', 'modificationTime', 'kri'];
const heads = [
  'apiVersion',
  'kind',
  'metadata',
  'type',
  'name',
  'namespace',
  'mesh',
  'labels',
  'annotations',
];

/** The document as it is written at the other end (SPEC ZON4, ZON5). */
export function copyOf(
  resource: Resource,
  names: Names,
  from: Side,
  to: Side,
  role: Role | undefined,
): Fields {
  const { name, namespace } = names.spot(resource);
  const labels = labelsOf(resource, names, from, role);
  const rewritten = names.rewritten(resource);
  const fields = Object.fromEntries(
    Object.entries(rewritten).filter(([key]) => !heads.includes(key) && !ofThePlace.includes(key)),
  );
  const mesh = resource.mesh === '' ? {} : { mesh: resource.mesh };
  if (to.systemNamespace === undefined)
    return { type: resource.kind, name, ...mesh, labels, ...shortFields(fields, resource) };
  return {
    apiVersion: names.group(resource),
    kind: resource.kind,
    ...(resource.apiVersion !== undefined && typeof resource.value['mesh'] === 'string' ? mesh : {}),
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels },
    ...kubernetesFields(fields, resource),
  };
}

function labelsOf(resource: Resource, names: Names, from: Side, role: Role | undefined): Fields {
  const { mesh, name, zone, namespace } = names.identity(resource);
  const {
    [labelNames.zone]: _,
    [labelNames.namespace]: __,
    [labelNames.role]: ___,
    ...rest
  } = resource.labels;
  const labels: Record<string, string> = {
    ...rest,
    [labelNames.displayName]: name,
    // Of the end that it comes from: what a zone has from another came to it through global.
    [labelNames.origin]: from.zone === undefined ? 'global' : 'zone',
    ...(mesh === '' ? {} : { [labelNames.mesh]: mesh }),
    ...(zone === '' ? {} : { [labelNames.zone]: zone }),
    ...(namespace === '' ? {} : { [labelNames.namespace]: namespace }),
    ...(role === undefined ? {} : { [labelNames.role]: role }),
  };
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => byText(a, b)));
}

function shortFields(fields: Fields, { apiVersion, travel }: Resource): Fields {
  const { spec, ...rest } = fields;
  return apiVersion !== undefined && travel?.inline === true && isFields(spec)
    ? { ...spec, ...rest }
    : fields;
}

function kubernetesFields(fields: Fields, { apiVersion }: Resource): Fields {
  return apiVersion !== undefined || isFields(fields['spec']) ? fields : { spec: fields };
}
