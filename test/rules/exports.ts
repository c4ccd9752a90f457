import { posix } from 'node:path';
import { parseSync } from 'rolldown/utils';
import type { Finding } from './check.ts';
import { published } from './layout.ts';

const why =
  'an export says that others lean on it; what its own file alone uses can be changed by whoever reads that file, and the compiler says when nothing uses it';

type Links = ReturnType<typeof parseSync>['module'];

/**
 * What files of src export and no other file imports: values, and whatever is only passed on. Types that a file
 * declares may be exported all the same: what it exports besides speaks of them.
 */
export function unusedExports(sources: ReadonlyMap<string, string>): readonly Finding[] {
  const found: Finding[] = [];
  const uses = new Uses();
  const modules = [...sources].map(([file, text]) => ({ file, text, links: parseSync(file, text).module }));
  for (const { file, text, links } of modules) uses.add(file, text, links);
  for (const { file, text, links } of modules) {
    if (!file.startsWith('src/') || published.includes(file)) continue;
    for (const { exportName, isType, moduleRequest, start } of links.staticExports.flatMap(
      (x) => x.entries,
    )) {
      const { name } = exportName;
      if (name === null || (isType && moduleRequest === null) || uses.has(file, name)) continue;
      const line = text.slice(0, start).split('\n').length;
      found.push({ where: `${file}:${line}`, what: `exports ${name}, which nobody imports`, why });
    }
  }
  return found;
}

/** Who imports what of which file. */
class Uses {
  readonly #names = new Set<string>();
  /** By file, the words of those that import all of it: any may be a name out of it. */
  readonly #words = new Map<string, Set<string>>();

  has(file: string, name: string): boolean {
    return this.#names.has(`${file} ${name}`) || this.#words.get(file)?.has(name) === true;
  }

  add(file: string, text: string, { staticImports, staticExports }: Links): void {
    const at = (target: string) => posix.join(posix.dirname(file), target);
    const take = (target: string, name: string | null) => {
      if (name === null) this.#all(at(target), text);
      else this.#names.add(`${at(target)} ${name}`);
    };
    for (const { entries, moduleRequest } of staticImports) {
      for (const { importName } of entries) take(moduleRequest.value, importName.name);
    }
    for (const { importName, moduleRequest } of staticExports.flatMap(({ entries }) => entries)) {
      if (moduleRequest !== null) take(moduleRequest.value, importName.name);
    }
    // Off the text, since `typeof import('…')` is an import too.
    for (const [, target = ''] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g))
      this.#all(at(target), text);
  }

  #all(file: string, text: string): void {
    const words = this.#words.get(file) ?? new Set();
    for (const word of text.match(/[\w$]+/g) ?? []) words.add(word);
    this.#words.set(file, words);
  }
}
