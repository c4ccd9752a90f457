import type { Violation, ViolationCode } from '../../pdp/model/violation.ts';

/** What stood where a request was looked for: data to decide, or the reason why there is none. */
export type Item =
  | { readonly ok: true; readonly line: number; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly violation: Violation };

export function noRequest(line: number, code: ViolationCode, message: string, hint?: string): Item {
  return {
    ok: false,
    line,
    violation: hint === undefined ? { path: [], code, message } : { path: [], code, message, hint },
  };
}

export function parseItem(text: string, line: number): Item {
  try {
    return { ok: true, line, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return noRequest(line, 'syntax', `not JSON: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`);
  }
}
