import type { ParsedNode } from 'yaml';
import type { Path, Place } from '../../pdp/model/violation.ts';
import type { Document, Unread } from '../document.ts';
import { Findings } from './finding.ts';
import { JsonLocator } from './json-places.ts';
import type { Locator } from './locator.ts';
import { behindMarker, type Part } from './parts.ts';
import type { Source } from './source.ts';
import { yamlTree } from './yaml.ts';
import { YamlLocator } from './yaml-places.ts';

/** The part of a source that a document stands in, and as what it was read. */
export interface Region extends Part {
  readonly json: boolean;
}

/** A document that was read from a text. It keeps the text, not the tree; places are found by reading again. */
export class SourceDocument implements Document {
  readonly value: unknown;
  readonly file?: string;
  readonly unread: readonly Unread[];
  readonly source: Source;
  readonly #region: Region;
  readonly #base: Path;

  constructor(value: unknown, source: Source, region: Region, base: Path, unread: readonly Unread[] = []) {
    this.value = value;
    if (source.file !== undefined) this.file = source.file;
    this.source = source;
    this.#region = region;
    this.#base = base;
    this.unread = unread;
  }

  place(path: Path, of: 'value' | 'key' = 'value'): Place {
    const locator = locatorOf(this.source, this.#region);
    return this.source.placeAt(locator.offsetOf([...this.#base, ...path], of));
  }

  /** The tree of a YAML text, comments included; undefined for JSON. */
  tree(): ParsedNode | undefined {
    if (this.#region.json || this.#base.length > 0) return undefined;
    const { start, end } = this.#region;
    return yamlTree(this.source.text.slice(start, end), start, new Findings(0)) ?? undefined;
  }

  /** The same document in another file of the same content. */
  in(source: Source): SourceDocument {
    return new SourceDocument(this.value, source, this.#region, this.#base, this.unread);
  }
}

/**
 * The region looked into last. Places are asked for in bursts, all those of one document together, so that one is
 * enough; held weakly, since its tree can be a hundred times the size of its text.
 */
let last: { readonly region: Region; readonly locator: WeakRef<Locator> } | undefined;

function locatorOf(source: Source, region: Region): Locator {
  const known = last?.region === region ? last.locator.deref() : undefined;
  if (known !== undefined) return known;
  const locator = makeLocator(source.text, region);
  last = { region, locator: new WeakRef(locator) };
  return locator;
}

function makeLocator(text: string, region: Region): Locator {
  if (region.json) return new JsonLocator(text, behindMarker(text, region), region.end);
  const tree = yamlTree(text.slice(region.start, region.end), region.start, new Findings(0));
  return new YamlLocator(tree ?? null, region.start);
}
