import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** What one source file imports, read off a syntax tree, so that comments and strings cannot mislead. */

export interface Import {
  /** Undefined: an `import()` or `require()` whose argument is no string literal. */
  readonly target: string | undefined;
  readonly how: 'static' | 'dynamic' | 'require';
  readonly types: boolean;
  readonly line: number;
}

export interface Name {
  readonly name: string;
  readonly member: boolean;
  readonly line: number;
}

export interface Module {
  readonly file: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Names it reads, members (`x.name`) apart from free ones. Property keys and the like are not among them. */
  readonly names: readonly Name[];
  /** `/// <reference …>` would bring in types that the compiler was told to leave out. */
  readonly references: readonly number[];
  readonly errors: readonly string[];
}

/** A node of the tree; its shape is the parser's affair, so fields are read with care. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

export function walk(node: Node, visit: (node: Node, parent: Node | undefined, field: string) => void): void {
  const stack: { node: Node; parent: Node | undefined; field: string }[] = [
    { node, parent: undefined, field: '' },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    visit(next.node, next.parent, next.field);
    for (const [field, value] of Object.entries(next.node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) stack.push({ node: child, parent: next.node, field });
      }
    }
  }
}

export function parse(
  file: string,
  text: string,
): { program: Node; errors: string[]; comments: readonly Node[] } {
  const result = parseSync(file, text);
  return {
    program: result.program as unknown as Node,
    errors: result.errors.map((error) => error.message),
    comments: result.comments as unknown as readonly Node[],
  };
}

export function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  return undefined;
}

const declarations = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);

export function readModule(file: string, text: string): Module {
  const { program, errors, comments } = parse(file, text);
  const imports: Import[] = [];
  const names: Name[] = [];
  const line = (offset: number) => text.slice(0, offset).split('\n').length;

  walk(program, (node, parent, field) => {
    const at = line(node.start);
    if (declarations.has(node.type) && isNode(node['source'])) {
      const types = node['importKind'] === 'type' || node['exportKind'] === 'type';
      imports.push({ target: literal(node['source']), how: 'static', types, line: at });
    } else if (node.type === 'ImportExpression') {
      imports.push({ target: literal(node['source']), how: 'dynamic', types: false, line: at });
    } else if (node.type === 'TSImportType') {
      imports.push({ target: literal(node['source']), how: 'static', types: true, line: at });
    } else if (node.type === 'TSExternalModuleReference') {
      imports.push({ target: literal(node['expression']), how: 'require', types: false, line: at });
    } else if (node.type === 'Identifier') {
      const name = String(node['name']);
      const member =
        parent?.type === 'MemberExpression' && field === 'property' && parent['computed'] !== true;
      const key = field === 'key' && parent?.['computed'] !== true && parent?.['shorthand'] !== true;
      if (!key) names.push({ name, member, line: at });
      // `createRequire` and `getBuiltinModule` reach modules behind the back of every import rule.
      if (['require', 'createRequire', 'getBuiltinModule'].includes(name) && !key) {
        imports.push({ target: undefined, how: 'require', types: false, line: at });
      }
    }
  });

  const references = comments
    .filter((comment) => comment.type === 'Line' && /^\/\s*<reference\b/.test(String(comment['value'])))
    .map((comment) => line(comment.start));
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  imports.sort((a, b) => a.line - b.line);
  return { file, lines, imports, names, references, errors };
}

/** Made by `npm run generate`, not committed; only the files beside the folder import from it. */
export function isGenerated(file: string): boolean {
  return file.startsWith('src/envoy/proto/generated/');
}

/** Files under a folder of the repository, but no generated ones, by their path from its root, with `/`, in order. */
export function filesUnder(root: string, folder: string, wanted: RegExp): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
    const file = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (entry.isFile() && wanted.test(file) && !file.includes('node_modules/') && !isGenerated(file)) {
      found.push(file);
    }
  }
  return found.sort();
}

export function readSources(root: string, files: readonly string[]): Map<string, string> {
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}
