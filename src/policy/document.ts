import type { Path, Place, Violation } from '../pdp/model/violation.ts';

/** What of a text is not what the document's value has there. */
export interface Unread {
  readonly path: Path;
  /** It is a key, which names no field: what the mapping at the path lacks may stand behind it. */
  readonly ofKey?: boolean;
  /** It is what stands there last, and something else stands there too. */
  readonly isSecond?: boolean;
}

/** What a document says, and where in a file it says it. */
export interface Document {
  /** Plain data: mappings, lists, strings, numbers, booleans, null. Parts that the text aliases may be shared. */
  readonly value: unknown;
  readonly file?: string;
  /** What errors call it where it has no place. */
  readonly called?: string;
  /** Of a document that is flawed. */
  readonly unread?: readonly Unread[];
  /**
   * Where the value at `path` stands, or with `key` the name of that field (for a field that should not be there).
   * For a path that the document does not have: the place of its deepest part that is there.
   */
  place(path: Path, of?: 'value' | 'key'): Place | undefined;
}

/** What came out of reading texts: the good documents and everything that is wrong with the others. */
export interface Reading {
  readonly documents: Document[];
  /** Documents with a top-level `cases` and no kind: tests of policies, not policies. */
  readonly cases: Document[];
  /** What could be read but for some keys and values: it gives nothing, and is looked at for what else is wrong. */
  readonly flawed?: readonly Document[];
  readonly violations: Violation[];
  /** Nothing but comments stands there. */
  readonly isBlank?: boolean;
}
