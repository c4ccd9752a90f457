import type { Attached } from './index/attach.ts';
import { AttributeColumn, attributeStride } from './index/compile.ts';
import { unique } from './index/texts.ts';
import { Kind } from './index/vocabulary.ts';
import type { RequestSource } from './model/request.ts';
import { keys } from './model/rule.ts';

type Tags = RequestSource['tags'];

/**
 * The tags of one request after another. They are walked once, when the first one is asked for: clients have as many
 * sets of tags as there are of them, and to look for each tag of a long list in an object of a shape never seen before
 * costs more than the rest of a decision.
 */
export class TagValues {
  readonly #attributes = new Map<string, number>();
  readonly #values: (string | readonly string[])[];
  /** Per attribute: the request in which its value was seen. */
  readonly #seen: Uint32Array;
  #tags: Tags;
  #request = 0;
  #walked = true;

  constructor({ keys: names, compiled }: Attached) {
    names.forEach((name, attribute) => {
      if (compiled.attributes[attribute * attributeStride + AttributeColumn.kind] === Kind.tag)
        // As the engine has property names, so that none is compared as text.
        this.#attributes.set(unique(name.slice(keys.tag.length)), attribute);
    });
    this.#values = new Array(names.length).fill('');
    this.#seen = new Uint32Array(names.length);
  }

  begin(tags: Tags): void {
    this.#tags = tags;
    this.#walked = false;
  }

  of(attribute: number): string | readonly string[] | undefined {
    if (!this.#walked) this.#walk();
    return this.#seen[attribute] === this.#request ? this.#values[attribute] : undefined;
  }

  #walk(): void {
    this.#walked = true;
    this.#request++;
    if (this.#request === 0xffff_ffff) {
      this.#seen.fill(0);
      this.#request = 1;
    }
    const tags = this.#tags;
    for (const tag in tags) {
      const value = tags[tag];
      const attribute = this.#attributes.get(tag);
      if (attribute === undefined || value === undefined) continue;
      this.#seen[attribute] = this.#request;
      this.#values[attribute] = value;
    }
  }
}
