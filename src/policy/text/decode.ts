import type { Violation } from '../../pdp/model/violation.ts';
import { Source } from './source.ts';
import { firstInvalidByte } from './utf8.ts';

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly violation: Violation };

/** The text of a file's bytes, without the byte order mark that it may start with. */
export function decode(bytes: Uint8Array, file: string): Decoded {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const at = firstInvalidByte(bytes);
    // What comes before is good, and ends where the place is.
    const before = new TextDecoder().decode(bytes.subarray(0, Math.max(at, 0)));
    const place = new Source(before, file).placeAt(before.length);
    const byte = bytes[at]?.toString(16).padStart(2, '0');
    const message = `not utf-8: byte 0x${byte} at offset ${at}`;
    const hint = 'save the file as utf-8';
    return { ok: false, violation: { path: [], code: 'syntax', message, hint, place } };
  }
}
