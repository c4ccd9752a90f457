import { isNode, literal, type Node, parse, walk } from './modules.ts';

/** The numbers of docs/SPEC.md, and the numbers that tests carry in their titles. */

const idPattern = /\[([A-Z]+\d+)\]/g;

/** A rule is a bullet or a heading that begins with its number: `- **[MTP4]** …`. */
export function rulesOf(spec: string): { id: string; line: number }[] {
  return spec.split('\n').flatMap((text, index) => {
    const id = /^(?:-|#+) (?:\*\*)?\[([A-Z]+\d+)\]/.exec(text)?.[1];
    return id === undefined ? [] : [{ id, line: index + 1 }];
  });
}

const runners = new Set(['test', 'it', 'describe']);
/** `test.each(rows)(…)` runs; `test.skip` and `test.todo` prove nothing. */
const idle = new Set(['skip', 'todo']);

/** The name a call goes by at its root, and the members on the way: `test.each(rows)(title)` is test, [each]. */
function calleeOf(node: unknown): { root: string; members: string[] } | undefined {
  const members: string[] = [];
  let next = node;
  while (isNode(next)) {
    if (next.type === 'Identifier') return { root: String(next['name']), members };
    if (next.type === 'MemberExpression') {
      if (isNode(next['property'])) members.push(String(next['property']['name']));
      next = next['object'];
    } else if (next.type === 'CallExpression') next = next['callee'];
    else if (next.type === 'TaggedTemplateExpression') next = next['tag'];
    else return undefined;
  }
  return undefined;
}

function textOf(node: Node): string {
  if (node.type !== 'TemplateLiteral') return literal(node) ?? '';
  const parts = Array.isArray(node['quasis']) ? node['quasis'] : [];
  return parts.map((part: Node) => (part['value'] as { cooked?: string }).cooked ?? '').join(' ');
}

/**
 * Numbers in a test file: those in the titles of tests that run, and, for titles that come out of a table,
 * those at the beginning of any other string.
 */
export function idsInTests(file: string, text: string): string[] {
  const found = new Set<string>();
  const off = new Set<Node>();
  walk(parse(file, text).program, (node) => {
    if (node.type === 'CallExpression') {
      const callee = calleeOf(node['callee']);
      const title = Array.isArray(node['arguments']) ? node['arguments'][0] : undefined;
      if (callee === undefined || !runners.has(callee.root) || !isNode(title)) return;
      if (callee.members.some((member) => idle.has(member))) off.add(title);
      else for (const [, id] of textOf(title).matchAll(idPattern)) found.add(id ?? '');
    } else if ((node.type === 'Literal' || node.type === 'TemplateLiteral') && !off.has(node)) {
      const [leading = ''] = /^(?:\[[A-Z]+\d+\]\s*)+/.exec(textOf(node)) ?? [];
      for (const [, id] of leading.matchAll(idPattern)) found.add(id ?? '');
    }
  });
  return [...found].sort();
}

/** Numbers that comments of the source name and the specification does not have. */
export function unknownInComments(spec: string, sources: ReadonlyMap<string, string>): string[] {
  const known = new Set(rulesOf(spec).map(({ id }) => id));
  const letters = new Set([...known].map((id) => id.replace(/\d+$/, '')));
  return [...sources].flatMap(([file, text]) =>
    parse(file, text).comments.flatMap(({ start, value }) => {
      const line = text.slice(0, start).split('\n').length;
      // Not what an X509-SVID is made of.
      const named = String(value).matchAll(/\b(?!X509)([A-Z]+)\d+\b/g);
      const unknown = [...named].filter(([id, prefix = '']) => letters.has(prefix) && !known.has(id));
      return unknown.map(([id]) => `${file}:${line}: ${id} is no rule of docs/SPEC.md`);
    }),
  );
}

/** What is missing on either side, as sentences. */
export function compareIds(spec: string, tests: ReadonlyMap<string, string>): string[] {
  const rules = rulesOf(spec);
  const known = new Set(rules.map((rule) => rule.id));
  const tested = new Map<string, string>();
  const says: string[] = [];
  for (const [file, text] of tests) {
    for (const id of idsInTests(file, text)) {
      tested.set(id, file);
      if (!known.has(id)) says.push(`${file}: [${id}] is no rule of docs/SPEC.md`);
    }
  }
  for (const { id, line } of rules) {
    if (!tested.has(id)) says.push(`docs/SPEC.md:${line}: [${id}] has no test that carries it in its title`);
    const first = rules.find((rule) => rule.id === id);
    if (first?.line !== line)
      says.push(`docs/SPEC.md:${line}: [${id}] stands on line ${first?.line} already`);
  }
  return says;
}
