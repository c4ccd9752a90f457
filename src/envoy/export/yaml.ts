import type { Json } from './json.ts';

/**
 * Plain data as YAML 1.2, one way for each value, so that equal data are equal bytes. Texts that could be read as
 * anything else are quoted as JSON has it, which is YAML too.
 */
export function toYaml(value: Json): string {
  const lines: string[] = [];
  block(value, '', '', lines);
  return `${lines.join('\n')}\n`;
}

/** A text that is nothing but itself: no number, no keyword, nothing that begins a comment or a collection. */
const plain = /^[A-Za-z_/][A-Za-z0-9_./-]*$/;
const words = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Lines that can stand as they are: a script is to be read. */
const literal = /^(?! )[ -~]+\n(?:(?:[ -~]*[!-~])?\n)*(?<=[!-~]\n)$/;

function linesOf(value: string, indent: string): string[] {
  const lines = value.slice(0, -1).split('\n');
  return lines.map((line) => (line === '' ? '' : indent + line));
}

/** Separators of lines that JSON leaves as they are. */
const unquotable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cf}/gu;

function text(value: string): string {
  if (plain.test(value) && !words.has(value.toLowerCase())) return value;
  return JSON.stringify(value).replace(unquotable, (char) =>
    [...Array(char.length).keys()]
      .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** `lead` stands before the first line, `indent` before all others. */
function block(value: Json, lead: string, indent: string, lines: string[]): void {
  if (typeof value !== 'object') lines.push(lead + scalar(value));
  else if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${lead}[]`);
    let before = lead;
    for (const one of value) {
      block(one, `${before}- `, `${indent}  `, lines);
      before = indent;
    }
  } else {
    const fields = Object.entries(value);
    if (fields.length === 0) lines.push(`${lead}{}`);
    let before = lead;
    for (const [field, one] of fields) {
      const name = `${before}${keyOf(field, indent)}:`;
      if (typeof one === 'string' && literal.test(one))
        lines.push(`${name} |`, ...linesOf(one, `${indent}  `));
      else if (typeof one !== 'object') lines.push(`${name} ${scalar(one)}`);
      else if (Array.isArray(one) ? one.length === 0 : Object.keys(one).length === 0)
        lines.push(`${name} ${Array.isArray(one) ? '[]' : '{}'}`);
      else {
        lines.push(name);
        block(one, `${indent}  `, `${indent}  `, lines);
      }
      before = indent;
    }
  }
}

/** A key that YAML takes for one by the colon behind it is no longer than this, quotes included. */
const mostImplicit = 1024;

/** A longer one says by itself that it is a key, and its colon begins the next line. */
function keyOf(field: string, indent: string): string {
  const written = text(field);
  return written.length > mostImplicit ? `? ${written}\n${indent}` : written;
}

function scalar(value: string | number | boolean): string {
  return typeof value === 'string' ? text(value) : String(value);
}
