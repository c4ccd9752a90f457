import { isUtf8 } from 'node:buffer';
import { limits } from '../../pdp/model/limits.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { decode } from '../../policy/text/decode.ts';
import { type Finding, Findings } from '../../policy/text/finding.ts';
import { readJson } from '../../policy/text/json.ts';
import { leastSpace } from '../../policy/text/json-space.ts';
import { Source } from '../../policy/text/source.ts';

/** What a text holds, or all that is wrong with it, each with its place in the text. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Requests as everybody reads them, the service and the command line: beyond what `JSON.parse` refuses, no bytes that
 * are no UTF-8, repeated keys, lost digits, deep nesting.
 */
export function readJsonBytes(bytes: Buffer, file: string): ReadJson {
  if (isUtf8(bytes)) return readJsonText(bytes.toString(), file, bytes);
  const { text, faults } = decode(bytes);
  // The others are of the same making, as a rule.
  const [first] = faults;
  const found = first === undefined ? [] : [{ ...first, hint: 'encode it as utf-8' }];
  return { ok: false, violations: placed(found, text, file) };
}

/** The same of a text; whoever has its bytes too gives them. */
export function readJsonText(text: string, file: string, bytes?: Uint8Array): ReadJson {
  const plain = readPlain(text);
  if (plain !== undefined) return plain;
  const findings = new Findings(limits.violationsPerRequest);
  const read = readJson(text, 0, text.length, true, findings, bytes);
  if (read !== undefined && findings.list.length === 0) return { ok: true, value: read.value };
  return { ok: false, violations: placed(findings.list, text, file) };
}

function placed(findings: readonly Finding[], text: string, file: string): Violation[] {
  const source = new Source(text, file);
  return findings.map(({ offset, ...what }) => ({ ...what, place: source.placeAt(offset) }));
}

/** Of so short a text no value takes much room, however deep it nests. */
const shortText = 131_072;

/**
 * What most texts are: but for blanks between values, as short as JSON can say it, so that nothing in them can be wrong
 * (`leastSpace` says why). Nothing is said of all others.
 */
function readPlain(text: string): ReadJson | undefined {
  if (text.length > shortText || text.includes('\\')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const spare = text.length - leastSpace(value);
  return spare === 0 || spare === blanksBetween(text) ? { ok: true, value } : undefined;
}

/** In JSON without escapes. */
function blanksBetween(text: string): number {
  let blanks = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x22) continue;
    // Over a string at once: most of a text is in them.
    if (unit === 0x22) i = text.indexOf('"', i + 1);
    else blanks++;
  }
  return blanks;
}
