import { posix } from 'node:path';
import { cycles } from './cycles.ts';
import { type Area, areaOf, areas, impureMembers, impureNames, longestFile } from './layout.ts';
import { type Import, isGenerated, type Module, readModule } from './modules.ts';

/** One breach of the layout: where, what, and why the rule is there. */
export interface Finding {
  readonly where: string;
  readonly what: string;
  readonly why: string;
}

export function formatFinding(finding: Finding): string {
  return `${finding.where}: ${finding.what}\n    because ${finding.why}`;
}

/** `zod/mini` and `@scope/name/sub` are parts of the packages `zod` and `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

interface Context {
  readonly sources: ReadonlyMap<string, string>;
  readonly findings: Finding[];
  /** Area and package, and the files that import it. */
  readonly users: Map<string, Set<string>>;
  /** What of the table was made use of: an area's name, and what it imports. */
  readonly used: Set<string>;
}

function checkRelative(
  module: Module,
  area: Area,
  imported: Import,
  target: string,
  context: Context,
): string | undefined {
  const where = `${module.file}:${imported.line}`;
  const say = (what: string, why: string) => context.findings.push({ where, what, why });
  const file = posix.join(posix.dirname(module.file), target);
  if (isGenerated(file)) {
    const beside = posix.dirname(module.file) === 'src/envoy/proto';
    if (!beside)
      say(`imports ${target}`, 'generated code is fenced off: src/envoy/proto says what there is of it');
    return undefined;
  }
  if (!target.endsWith('.ts')) {
    say(`imports ${target}`, 'a relative import names the file as it is, ending in .ts: nothing is guessed');
    return undefined;
  }
  const other = areaOf(file);
  if (other === undefined) {
    say(`imports ${target}`, 'src imports only src: what is shipped must not lean on tests or tools');
    return undefined;
  }
  if (!context.sources.has(file)) {
    say(`imports ${target}`, `there is no ${file}`);
    return undefined;
  }
  const use = area.may[other.name];
  context.used.add(`${area.name} ${other.name}`);
  if (use === undefined) say(`${area.name} imports ${other.name} (${file})`, area.reason);
  else if (use === 'types' && !imported.types) {
    say(`${area.name} imports a value of ${other.name} (${file}), not only types`, area.reason);
  }
  return file;
}

function checkPackage(module: Module, area: Area, imported: Import, target: string, context: Context): void {
  const where = `${module.file}:${imported.line}`;
  if (target.startsWith('node:')) {
    const allowed = typeof area.node === 'boolean' ? area.node : area.node.includes(module.file);
    const only = typeof area.node === 'boolean' ? '' : ` outside ${area.node.join(', ')}`;
    context.used.add(`${area.name} node:`);
    if (!allowed)
      context.findings.push({ where, what: `${area.name} imports ${target}${only}`, why: area.reason });
    return;
  }
  const name = packageOf(target);
  const rule = area.packages[name];
  context.used.add(`${area.name} ${name}`);
  if (rule === undefined) {
    const known = Object.keys(area.packages);
    const what = `${area.name} imports the package ${name}; it may import ${known.length > 0 ? known.join(', ') : 'none'}`;
    context.findings.push({ where, what, why: area.reason });
  } else if (rule === 'one-file') {
    const key = `${area.name} ${name}`;
    const users = context.users.get(key) ?? new Set();
    context.users.set(key, users.add(module.file));
  } else if (rule !== 'anywhere' && !module.file.startsWith(rule)) {
    context.findings.push({ where, what: `imports ${name} outside ${rule}`, why: area.reason });
  }
}

function checkImport(module: Module, area: Area, imported: Import, context: Context): string | undefined {
  const where = `${module.file}:${imported.line}`;
  const say = (what: string, why: string) => context.findings.push({ where, what, why });
  if (imported.how === 'require') {
    say('reaches modules by require', 'only import statements can be seen, typed and checked');
    return undefined;
  }
  if (imported.how === 'dynamic') {
    const loadsLate = typeof area.dynamic === 'boolean' ? area.dynamic : area.dynamic.includes(module.file);
    if (!loadsLate)
      say(`${area.name} imports dynamically`, 'import() is for the command line, which loads edges late');
    if (imported.target === undefined) {
      say(
        'imports what is no string literal',
        'a computed import cannot be checked, and can be steered by input',
      );
      return undefined;
    }
  }
  const { target } = imported;
  if (target === undefined) return undefined;
  if (/^\.{1,2}\//.test(target)) return checkRelative(module, area, imported, target, context);
  checkPackage(module, area, imported, target, context);
  return undefined;
}

function checkPurity(module: Module, findings: Finding[], reason: string): void {
  const free: readonly string[] = impureNames;
  const members: readonly string[] = impureMembers;
  for (const { name, member, line } of module.names) {
    if ((member ? members : free).includes(name)) {
      findings.push({
        where: `${module.file}:${line}`,
        what: `uses ${member ? '.' : ''}${name}`,
        why: reason,
      });
    }
  }
  for (const line of module.references) {
    const what = 'has a /// <reference> comment';
    findings.push({
      where: `${module.file}:${line}`,
      what,
      why: `it widens what the compiler lets in; ${reason}`,
    });
  }
}

/** Rows of the table that a whole tree makes no use of: they let in what nobody looked at. */
export function unusedAllowances(sources: ReadonlyMap<string, string>): string[] {
  const { used } = looked(sources);
  return areas.flatMap(({ name, may, packages, node }) => {
    const rows = [...Object.keys(may), ...Object.keys(packages), ...(node === false ? [] : ['node:'])];
    return rows.map((row) => `${name} ${row}`).filter((row) => row !== `${name} ${name}` && !used.has(row));
  });
}

/** All breaches in a set of source files, given by path from the repository's root. */
export function checkSources(sources: ReadonlyMap<string, string>): readonly Finding[] {
  return looked(sources).findings;
}

function looked(sources: ReadonlyMap<string, string>): Context {
  const context: Context = { sources, findings: [], users: new Map(), used: new Set() };
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const module = readModule(file, text);
    const say = (what: string, why: string) => context.findings.push({ where: file, what, why });
    for (const error of module.errors)
      say(`does not parse: ${error}`, 'what cannot be parsed cannot be checked');
    if (module.lines > longestFile) {
      say(`has ${module.lines} lines, ${longestFile} at most`, 'a file is small enough to hold in the head');
    }
    const area = areaOf(file);
    if (area === undefined) {
      say('stands in no area', `src has ${areas.map((a) => a.at).join(', ')} and nothing else`);
      continue;
    }
    if (area.pure) checkPurity(module, context.findings, area.reason);
    const edges = module.imports.map((imported) => checkImport(module, area, imported, context));
    graph.set(
      file,
      edges.filter((edge) => edge !== undefined),
    );
  }
  for (const [key, users] of context.users) {
    const [area, name] = key.split(' ');
    if (users.size < 2) continue;
    const why = areas.find((row) => row.name === area)?.reason ?? '';
    context.findings.push({
      where: [...users].join(', '),
      what: `import ${name} in more than one file`,
      why,
    });
  }
  for (const cycle of cycles(graph)) {
    const what = `imports itself: ${cycle.join(' -> ')} -> ${cycle[0]}`;
    context.findings.push({
      where: cycle[0] ?? '',
      what,
      why: 'parts that need each other are one part, or one too many',
    });
  }
  return context;
}
