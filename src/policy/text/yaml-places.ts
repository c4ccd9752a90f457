import { isAlias, isMap, isScalar, isSeq, type ParsedNode, visit } from 'yaml';
import type { Path } from '../../pdp/model/violation.ts';
import type { Locator } from './locator.ts';

type Fields = ReadonlyMap<string, { readonly key: ParsedNode; readonly value: ParsedNode | null }>;

/** Finds offsets in the tree of a document that was read without findings. */
export class YamlLocator implements Locator {
  readonly #contents: ParsedNode | null;
  readonly #start: number;
  readonly #fields = new WeakMap<ParsedNode, Fields>();
  #targets: ReadonlyMap<ParsedNode, ParsedNode> | undefined;

  constructor(contents: ParsedNode | null, start: number) {
    this.#contents = contents;
    this.#start = start;
  }

  offsetOf(path: Path, of: 'value' | 'key'): number {
    let key = this.#contents;
    let value = this.#contents;
    for (const step of path) {
      const at = isAlias(value) ? this.#target(value) : value;
      let next: { key: ParsedNode | null; value: ParsedNode | null } | undefined;
      if (isMap(at)) next = this.#fieldsOf(at as ParsedNode).get(String(step));
      else if (isSeq(at) && typeof step === 'number') {
        const item = at.items[step] as ParsedNode | undefined;
        if (item !== undefined) next = { key: item, value: item };
      }
      if (next === undefined) return this.#offset(value);
      key = next.key;
      value = next.value ?? next.key;
    }
    return this.#offset(of === 'key' ? key : value);
  }

  #offset(node: ParsedNode | null): number {
    return this.#start + (node?.range[0] ?? 0);
  }

  #fieldsOf(map: ParsedNode): Fields {
    let fields = this.#fields.get(map);
    if (fields === undefined) {
      const made = new Map<string, { key: ParsedNode; value: ParsedNode | null }>();
      if (isMap(map))
        for (const pair of map.items as { key: ParsedNode; value: ParsedNode | null }[])
          if (isScalar(pair.key)) made.set(String(pair.key.value), pair);
      fields = made;
      this.#fields.set(map, fields);
    }
    return fields;
  }

  /** An alias means the last node before it that has its name; all are resolved in one walk. */
  #target(alias: ParsedNode): ParsedNode | null {
    if (this.#targets === undefined) {
      const targets = new Map<ParsedNode, ParsedNode>();
      const anchors = new Map<string, ParsedNode>();
      visit(this.#contents, {
        Node(_key, node) {
          if (isAlias(node)) {
            const target = anchors.get(node.source);
            if (target) targets.set(node as ParsedNode, target);
          } else if ((node as { anchor?: string }).anchor !== undefined)
            anchors.set((node as { anchor: string }).anchor, node as ParsedNode);
        },
      });
      this.#targets = targets;
    }
    return this.#targets.get(alias) ?? null;
  }
}
