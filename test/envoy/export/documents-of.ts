import { generate } from '../../oracle/generate.ts';
import type { Shape } from '../../oracle/shapes.ts';

/** A random set, of `most` rules at most; with `tags`, one of clients with certificates of tags. */
export function documentsOf(seed: number, tags: boolean, most: number): Shape[] {
  const { documents } = generate(seed, 0, most);
  return tags ? withTagMeshes(documents, { accessPolicies: 'full' }) : documents;
}

/** The same in meshes whose certificates are of tags. */
export function withTagMeshes(documents: readonly Shape[], more: Partial<Shape> = {}): Shape[] {
  const others = documents.filter((one) => (one.type ?? one.kind) !== 'Mesh');
  const mesh = (name: string): Shape => ({ type: 'Mesh', name, certificates: 'tags', ...more });
  return [...others, mesh('default'), mesh('other')];
}
