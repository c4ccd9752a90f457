import { readJsonBytes, readJsonText } from '../../gateway/http/read-json.ts';
import type { Place, Violation, ViolationCode } from '../../pdp/model/violation.ts';

/** What stood where a request was looked for: data to decide, or the reasons why there is none, with their places. */
export type Item =
  | { readonly ok: true; readonly line: number; readonly column: number; readonly value: unknown }
  | { readonly ok: false; readonly violations: readonly Violation[] };

export function noRequest(place: Place, code: ViolationCode, message: string): Item {
  return { ok: false, violations: [{ path: [], code, message, place }] };
}

/** Makes an item of a text, or of bytes, that begin at this place. */
export type Parse = (from: string | Buffer, file: string, line: number, column: number) => Item;

/** As the service reads its bodies: what it refuses is no request here either. */
export const parseItem: Parse = (from, file, line, column) => {
  const read = typeof from === 'string' ? readJsonText(from, file) : readJsonBytes(from, file);
  if (read.ok) return { ok: true, line, column, value: read.value };
  const violations = read.violations.map((violation) => {
    const { line: down, column: across } = violation.place ?? { line: 1, column: 1 };
    const place = { file, line: line + down - 1, column: down === 1 ? column + across - 1 : across };
    return { ...violation, place };
  });
  return { ok: false, violations };
};
