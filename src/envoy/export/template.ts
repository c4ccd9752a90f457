import { defaultTemplate, type Inventory } from '../../pdp/model/inventory.ts';
import { keys, type Pattern } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { any, type Expression, type Leaf } from './expression.ts';
import { escapeRegex } from './text.ts';

/** Attributes that a template reads off a SPIFFE ID, said of the ID itself (SPEC SRC5). */

export const templateKeys: readonly string[] = [keys.k8sNamespace, keys.k8sServiceAccount];

interface Template {
  readonly trustDomain: string;
  /** Of the path, without the empty one before its first slash. */
  readonly segments: readonly string[];
}

const segment = '[^/]+';

export class IdTemplates {
  readonly #templates: readonly Template[];

  /** A template of the site goes before the usual one of a mesh. */
  constructor({ site, meshes }: Pick<Inventory, 'site' | 'meshes'>) {
    const found = new Map<string, string>();
    for (const mesh of meshes.values()) {
      for (const name of mesh.trustDomains) found.set(name, defaultTemplate);
    }
    for (const { name, template } of site.trustDomains) found.set(name, template);
    this.#templates = [...found]
      .sort(([a], [b]) => byText(a, b))
      .map(([trustDomain, template]) => ({ trustDomain, segments: template.split('/').slice(1) }));
  }

  /** Each as it is written. */
  get texts(): readonly string[] {
    return this.#templates.map(({ trustDomain, segments }) => [trustDomain, ...segments].join('/'));
  }

  /** IDs off which a template reads some value of the key. */
  present(key: string): Expression {
    return this.#ids(key, () => [segment]);
  }

  /** IDs off which a template reads a value that one of the patterns matches. */
  matches(key: string, patterns: readonly Pattern[]): Expression {
    return this.#ids(key, () => patterns.flatMap(segmentOf));
  }

  /** Several keys, each with the exact values that will do: whole IDs, where the template says no more than these. */
  exactly(wanted: ReadonlyMap<string, readonly string[]>): Expression {
    const found: Expression[] = [];
    for (const { trustDomain, segments } of this.#templates) {
      if (![...wanted.keys()].every((key) => segments.includes(`{${key}}`))) continue;
      let paths = [''];
      for (const part of segments) {
        const key = keyOf(part);
        const values =
          key === undefined ? [escapeRegex(part)] : (wanted.get(key)?.map(escapeRegex) ?? [segment]);
        paths = paths.flatMap((path) => values.map((value) => `${path}/${value}`));
      }
      for (const path of paths) found.push(leafOf(trustDomain, path));
    }
    return any(found);
  }

  #ids(key: string, values: () => readonly string[]): Expression {
    const found: Expression[] = [];
    for (const { trustDomain, segments } of this.#templates) {
      if (!segments.includes(`{${key}}`)) continue;
      for (const value of values()) {
        const path = segments.map((part) => {
          const of = keyOf(part);
          if (of === undefined) return escapeRegex(part);
          return of === key ? value : segment;
        });
        found.push(leafOf(trustDomain, `/${path.join('/')}`));
      }
    }
    return any(found);
  }
}

function keyOf(part: string): string | undefined {
  return part.startsWith('{') ? part.slice(1, -1) : undefined;
}

/** No segment holds a slash, so that what would match one below it matches the value alone. */
function segmentOf({ match, value }: Pattern): readonly string[] {
  if (value.includes('/') || (value === '' && match !== 'prefix')) return [];
  if (match === 'prefix') return [value === '' ? segment : `${escapeRegex(value)}[^/]*`];
  return [escapeRegex(value)];
}

/** A whole ID where nothing in the path is open. */
function leafOf(trustDomain: string, path: string): Leaf {
  const scheme = 'spiffe://';
  const open = path.search(/\[/);
  const escaped = open < 0 ? path : path.slice(0, open);
  const literal = scheme + trustDomain + escaped.replace(/\\(.)/g, '$1');
  if (open < 0) return { of: 'id', match: 'exact', value: literal };
  return { of: 'id', match: 'regex', value: scheme + escapeRegex(trustDomain) + path, starts: literal };
}
