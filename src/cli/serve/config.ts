import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { nearest } from '../../pdp/model/text.ts';
import { formatPath, formatViolation, type Path, type Violation } from '../../pdp/model/violation.ts';
import { nameOf } from '../../pdp/model/words.ts';
import { violationsOf } from '../../policy/schema/issues.ts';
import { schemasAt } from '../../policy/schema/walk.ts';
import { decode } from '../../policy/text/decode.ts';
import { parseText } from '../../policy/text/parse.ts';
import { exit, Failure } from '../failure.ts';
import { named, unreadBecause } from '../path-words.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { fileLayer, type Layer, merged, originOf, type Setting, singleLayer } from './config-layers.ts';
import { paths } from './config-parts.ts';
import { type Config, configSchema } from './config-schema.ts';
import { meaningOf, pathNamed, settingPaths, variableOf } from './config-text.ts';

export interface ConfigFlags {
  readonly config?: string;
  readonly listen?: string;
  readonly policies?: readonly string[];
  readonly workers?: string;
  /** `key=value` each. */
  readonly set?: readonly string[];
}

export interface Configured {
  readonly config: Config;
  /** The file that was read, if any. */
  readonly file?: string;
  /** In words: a default, a place in a file, a variable, a flag. */
  originOf(path: readonly string[]): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Of a command: what is wrong is printed, all of it, and ends the command. */
export async function configured(
  { err }: Terminal,
  flags: ConfigFlags,
  what: 'started' | 'shown',
  env: Environment = process.env,
): Promise<Configured> {
  const read = configure(flags, env);
  if (!('wrong' in read)) return read;
  for (const line of read.wrong) await err.line(printable(line));
  throw new Failure(
    exit.usage,
    `the configuration has ${count(read.wrong.length, 'problem')}, so nothing is ${what}`,
  );
}

/** Defaults, then the file, then the environment, then flags; or everything that is wrong with them. */
export function configure(
  flags: ConfigFlags,
  env: Environment,
): Configured | { readonly wrong: readonly string[] } {
  const file = flags.config ?? env['PLACET_CONFIG'] ?? (existsSync(usual) ? usual : undefined);
  const wrong: string[] = [];
  const ofFile = file === undefined ? undefined : readFile(file, wrong);
  const layers = [
    ...(ofFile === undefined ? [] : [ofFile]),
    singleLayer(variables(env, wrong)),
    singleLayer(flagSettings(flags, wrong)),
  ];
  const input = layers.reduce<Fields>((below, { value }) => merged(below, value), {});
  const read = configSchema.safeParse(input, { reportInput: true });
  if (!read.success)
    for (const violation of violationsOf(read.error.issues, { schema: configSchema, input }))
      wrong.push(inWords(violation, layers));
  if (wrong.length > 0 || !read.success) return { wrong };
  return {
    config: read.data,
    ...(file === undefined ? {} : { file }),
    originOf: (path) => originOf(layers, path) ?? 'default',
  };
}

const usual = 'placet.yaml';

function inWords(violation: Violation, layers: readonly Layer[]): string {
  const { path, message, hint } = violation;
  const of = violation.code === 'unknown-field' ? 'key' : 'value';
  let [origin, known] = [originOf(layers, path, of), path];
  // What is missing was made nowhere: what lacks it was.
  while (origin === undefined && known.length > 0) {
    known = known.slice(0, -1);
    origin = known.length === 0 ? undefined : originOf(layers, known);
  }
  const where = origin === undefined || origin === '' ? '' : `${origin}: `;
  return `${where}${formatPath(path)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

function readFile(file: string, wrong: string[]): Layer | undefined {
  const text = textOf(file);
  if (typeof text !== 'string') {
    wrong.push(`${named(file)}: ${text.wrong}`);
    return undefined;
  }
  const { documents, violations } = parseText(text, file);
  wrong.push(...violations.map(formatViolation));
  const [document, ...more] = documents;
  if (document === undefined) return undefined;
  if (more.length === 0 && isFields(document.value))
    return fileLayer(document, fromFolder(document.value, dirname(file)));
  const got = more.length > 0 ? 'several documents' : nameOf(document.value);
  wrong.push(`${file}: got ${got}, want one object of settings`);
  return undefined;
}

function textOf(file: string): string | { readonly wrong: string } {
  try {
    const { text, faults } = decode(readFileSync(file));
    return faults[0] === undefined ? text : { wrong: faults[0].message };
  } catch (error) {
    return { wrong: unreadBecause(error) };
  }
}

/** Paths of a file are meant from its folder. */
function fromFolder(value: Fields, folder: string): Fields {
  const moved = (one: unknown, at: Path): unknown => {
    if (Array.isArray(one)) return one.map((item, i) => moved(item, [...at, i]));
    if (isFields(one))
      return Object.fromEntries(Object.entries(one).map(([key, item]) => [key, moved(item, [...at, key])]));
    if (typeof one !== 'string' || one === '' || isAbsolute(one)) return one;
    return schemasAt(configSchema, at).some((schema) => paths.has(schema)) ? join(folder, one) : one;
  };
  return moved(value, []) as Fields;
}

/** A Service called placet brings these into every container beside it (Kubernetes: service environment variables). */
const ofKubernetes =
  /^PLACET(?:_[A-Z0-9_]+)?_(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

const ours = 'PLACET_';

function variables(env: Environment, wrong: string[]): Setting[] {
  const known = new Map(settingPaths().map((path) => [variableOf(path), path]));
  const names = Object.keys(env).filter((name) => name.startsWith(ours) && name !== 'PLACET_CONFIG');
  return names.sort().flatMap((name) => {
    const path = known.get(name);
    if (path !== undefined) return { name, path, value: meaningOf(path, env[name] ?? '') };
    if (ofKubernetes.test(name)) return [];
    // The part that all have in common makes no two of them alike.
    const near = nearest(
      name.slice(ours.length),
      [...known.keys()].map((one) => one.slice(ours.length)),
    );
    const hint = near === undefined ? undefined : `did you mean "${ours}${near}"?`;
    wrong.push(`${name}: no such setting (${hint ?? 'placet config shows all of them'})`);
    return [];
  });
}

function flagSettings({ listen, policies, workers, set = [] }: ConfigFlags, wrong: string[]): Setting[] {
  const settings: Setting[] = [];
  for (const one of set) {
    const equals = one.indexOf('=');
    if (equals < 1) {
      wrong.push(`--set ${one}: no value (write --set <setting>=<value>; placet config lists them)`);
      continue;
    }
    const path = pathNamed(one.slice(0, equals));
    settings.push({ name: `--set ${path.join('.')}`, path, value: meaningOf(path, one.slice(equals + 1)) });
  }
  if (listen !== undefined) settings.push({ name: '--listen', path: ['listen'], value: listen });
  if (policies !== undefined) settings.push({ name: '--policies', path: ['policies'], value: policies });
  if (workers !== undefined)
    settings.push({ name: '--workers', path: ['workers'], value: meaningOf(['workers'], workers) });
  return settings;
}
