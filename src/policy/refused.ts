import { fieldsIn } from '../pdp/model/fields.ts';
import { type Path, startsWith, type Violation } from '../pdp/model/violation.ts';
import type { Unread } from './document.ts';
import { descriptionViolation } from './kinds/descriptions.ts';
import type { Envelope, Rest } from './kinds/envelope.ts';
import type { Head } from './kinds/head.ts';
import type { Kind } from './kinds/kind.ts';
import type { Registry } from './kinds/seen.ts';
import { policyViolations } from './lower/checks.ts';
import type { Complain } from './lower/complain.ts';
import { followsFrom } from './unread.ts';

interface Entry extends Rest {
  /** Where something was said already: what is wrong at it, or below, is the same once more. */
  readonly said: readonly Path[];
  readonly unread: readonly Unread[];
}

/** Documents that are not loaded: they are looked at for all that is wrong with them, in a set too (SPEC DOC2). */
export class Refused {
  readonly #complain: Complain;
  readonly #entries: Entry[] = [];

  constructor(complain: Complain) {
    this.#complain = complain;
  }

  add(
    document: number,
    { violations, rest }: Envelope & { readonly as: 'refused' },
    unread: readonly Unread[] = [],
  ): void {
    for (const found of violations) if (!followsFrom(found, unread)) this.#complain(document, found);
    const said = violations.map(({ path }) => path);
    if (rest !== undefined) this.#entries.push({ ...rest, said, unread });
  }

  /** One that could not be read in full, whatever it looks like. */
  addFlawed(document: number, read: Envelope, unread: readonly Unread[]): void {
    if (read.as === 'refused') this.add(document, read, unread);
    if (read.as === 'read') this.#entries.push({ ...read, named: true, said: [], unread });
  }

  /** Meshes that say so, whatever else is wrong with them. */
  strictMeshes(): readonly string[] {
    return this.#entries
      .filter(({ head, spec }) => head.kind === 'Mesh' && fieldsIn(spec)['strictPrefixes'] === true)
      .map(({ head }) => head.name);
  }

  /** Called once all that is right is in `seen`. */
  sayTheRest(
    seen: Registry,
    posingOf: (head: Head, kind: Kind) => Violation | undefined,
    isStrict: (mesh: string) => boolean,
  ): void {
    for (const { head, spec, kind, named, said, unread } of this.#entries) {
      const known = named && isNameRead(head, unread);
      const ofHead = known ? [posingOf(head, kind) ?? descriptionViolation(head)] : [];
      for (const found of [...ofHead, ...policyViolations(head, spec, isStrict)])
        if (
          found !== undefined &&
          !said.some((path) => startsWith(found.path, path)) &&
          !followsFrom(found, unread)
        )
          this.#complain(head.document, found);
      if (known && ofHead[0] === undefined) seen.addRefused(head, kind);
    }
  }
}

const naming = new Set<unknown>([
  'type',
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'namespace',
  'mesh',
  'labels',
]);

/** Else it may be called something else than it seems. */
function isNameRead({ root }: Head, unread: readonly Unread[]): boolean {
  return unread.every(({ path }) => path.length > root.length && !naming.has(path[root.length]));
}
