import {
  isMap,
  isPair,
  isScalar,
  type ParsedNode,
  type Document as Yaml,
  Document as YamlDocument,
} from 'yaml';
import { valueAt } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import { SourceDocument } from './source-document.ts';

/** A document as YAML, with what is to be added in its place, and with its comments where its text has any. */

export interface Addition {
  readonly path: Path;
  readonly value: unknown;
}

/** `root`: where in the document the part is that is written, all of it if empty. */
export function writeYaml(document: Document, root: Path, additions: readonly Addition[]): string {
  const tree = document instanceof SourceDocument && root.length === 0 ? document.tree() : undefined;
  const written = tree === undefined ? new YamlDocument(valueAt(document.value, root)) : documentOf(tree);
  for (const { path, value } of additions) add(written, path.slice(root.length), value);
  return written.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function documentOf(tree: ParsedNode): Yaml {
  const written = new YamlDocument();
  written.contents = tree;
  return written as Yaml;
}

/** A `targetRef` that is new stands before the fields beside it, as people write it. */
function add(written: Yaml, path: Path, value: unknown): void {
  const above = path.length === 1 ? written.contents : written.getIn(path.slice(0, -1), true);
  const isNew = !written.hasIn(path);
  written.setIn(path, written.createNode(value));
  if (!isNew || path.at(-1) !== 'targetRef' || !isMap(above)) return;
  const pair = above.items.pop();
  const first = above.items.findIndex(
    (one) => isPair(one) && isScalar(one.key) && !heads.has(String(one.key.value)),
  );
  if (pair !== undefined) above.items.splice(first === -1 ? above.items.length : first, 0, pair);
}

/** What a document of the short form begins with. */
const heads = new Set(['type', 'name', 'mesh', 'namespace', 'labels', 'annotations']);
