import type { Violation, ViolationCode } from '../../pdp/model/violation.ts';

/** What stood where a request was looked for: data to decide, or the reason why there is none. */
export type Item =
  | { readonly ok: true; readonly line: number; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly violation: Violation };

export function noRequest(
  line: number,
  code: ViolationCode,
  message: string,
  { hint, column = 1 }: { readonly hint?: string; readonly column?: number } = {},
): Item {
  const violation = { path: [], code, message, ...(hint !== undefined && { hint }) };
  return { ok: false, line, column, violation };
}

/** How V8 ends some of its messages; others name no place. */
const within = / \(line (\d+) column (\d+)\)$/;

/** `indent`: how many characters of its line stand before the text, if that is known. */
export function parseItem(text: string, line: number, indent?: number): Item {
  try {
    return { ok: true, line, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [end = '', down = '1', across = '1'] = within.exec(reason) ?? [];
    const words = reason.slice(0, reason.length - end.length);
    const message = `not JSON: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
    const before = down === '1' ? indent : 0;
    const column = before === undefined ? 1 : before + Number(across);
    return noRequest(line + Number(down) - 1, 'syntax', message, { column });
  }
}
