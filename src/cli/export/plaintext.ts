import { isFields } from '../../pdp/model/fields.ts';
import type { Document } from '../../policy/document.ts';

/**
 * Meshes whose documents, in Kuma's form, let clients in without a certificate. Their filters deny these whatever the
 * policies say, which an operator should hear of before they do.
 */
export function plaintextWarning(documents: readonly Document[], mesh: string): string | undefined {
  for (const { value } of documents) {
    const found = mtlsOf(value, mesh);
    if (found === undefined) continue;
    const { enabledBackend, backends } = found;
    if (typeof enabledBackend !== 'string' || enabledBackend === '')
      return `the mesh ${mesh} has mutual TLS switched off: its clients have no certificates, and are denied here`;
    const backend = Array.isArray(backends)
      ? backends.find((one) => fieldOf(one, 'name') === enabledBackend)
      : undefined;
    if (fieldOf(backend, 'mode') === 'PERMISSIVE')
      return `the mesh ${mesh} takes clients without a certificate (mode PERMISSIVE): they are denied here`;
  }
  return undefined;
}

interface Mtls {
  readonly enabledBackend: unknown;
  readonly backends: unknown;
}

function mtlsOf(value: unknown, mesh: string): Mtls | undefined {
  if ((fieldOf(value, 'type') ?? fieldOf(value, 'kind')) !== 'Mesh') return undefined;
  if ((fieldOf(value, 'name') ?? fieldOf(fieldOf(value, 'metadata'), 'name')) !== mesh) return undefined;
  const mtls = fieldOf(value, 'mtls') ?? fieldOf(fieldOf(value, 'spec'), 'mtls');
  if (typeof mtls !== 'object' || mtls === null) return undefined;
  return { enabledBackend: fieldOf(mtls, 'enabledBackend'), backends: fieldOf(mtls, 'backends') };
}

function fieldOf(value: unknown, field: string): unknown {
  return isFields(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}
