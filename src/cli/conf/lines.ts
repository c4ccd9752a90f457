import { isFields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Merged } from '../../policy/merge/layers.ts';
import { toJson } from '../terminal/plain.ts';

/** A merged conf as YAML, with who says each field behind it. */

export interface Line {
  readonly text: string;
  /** Empty where the lines below say it. */
  readonly by: string;
}

export function confLines<O>(
  { conf, origins }: Merged<O>,
  nameOf: (origin: O, said: Path) => string,
): readonly Line[] {
  const byField = new Map(
    origins.map(({ field, said, origin }) => [JSON.stringify(field), nameOf(origin, said)]),
  );
  const lines: Line[] = [];
  object(conf as Readonly<Record<string, unknown>>, [], '');
  return lines.length === 0 ? [{ text: '{}', by: '' }] : lines;

  function object(fields: Readonly<Record<string, unknown>>, path: readonly string[], indent: string): void {
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      const field = [...path, key];
      const by = byField.get(JSON.stringify(field));
      const name = `${indent}${scalar(key)}:`;
      if (by !== undefined) leaf(name, value, by, `${indent}  `);
      else {
        lines.push({ text: name, by: '' });
        if (Array.isArray(value)) added(value, field, indent);
        else object(value as Readonly<Record<string, unknown>>, field, `${indent}  `);
      }
    }
  }

  /** A list that adds up: each entry is somebody's. */
  function added(entries: readonly unknown[], field: readonly string[], indent: string): void {
    for (const [index, entry] of entries.entries()) {
      const by = byField.get(JSON.stringify([...field, index])) ?? '';
      const [first = '', ...rest] = block(entry, '');
      lines.push({ text: `${indent}- ${first}`, by });
      for (const line of rest) lines.push({ text: `${indent}  ${line}`, by: '' });
    }
  }

  function leaf(name: string, value: unknown, by: string, indent: string): void {
    const flat = inline(value);
    if (flat !== undefined) lines.push({ text: `${name} ${flat}`, by });
    else {
      lines.push({ text: name, by });
      // A list may stand as deep as its field.
      const under = Array.isArray(value) ? indent.slice(2) : indent;
      for (const line of block(value, under)) lines.push({ text: line, by: '' });
    }
  }
}

function block(value: unknown, indent: string): readonly string[] {
  const flat = inline(value);
  if (flat !== undefined) return [`${indent}${flat}`];
  if (Array.isArray(value))
    return value.flatMap((entry) => {
      const [first = '', ...rest] = block(entry, '');
      return [`${indent}- ${first}`, ...rest.map((line) => `${indent}  ${line}`)];
    });
  return Object.entries(value as object).flatMap(([key, below]) => {
    const flat = inline(below);
    if (flat !== undefined) return [`${indent}${scalar(key)}: ${flat}`];
    return [`${indent}${scalar(key)}:`, ...block(below, `${indent}${Array.isArray(below) ? '' : '  '}`)];
  });
}

const mostInline = 60;

/** On one line: scalars, what is empty, and short lists of scalars. */
function inline(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (value.some((entry) => typeof entry === 'object' && entry !== null)) return undefined;
    const text = `[${value.map(scalar).join(', ')}]`;
    return text.length <= mostInline ? text : undefined;
  }
  if (!isFields(value)) return scalar(value);
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

/** Words that YAML would read as themselves; all else as JSON writes it. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  const isPlain =
    /^[A-Za-z0-9/_][\w./@+-]*(:[\w./@+-]+)*$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|y|n|[\d._+-]+(e[\d+-]+)?|0[xo][\da-f]+|\d+(:\d+)+)$/i.test(value);
  return isPlain ? value : toJson(value);
}
