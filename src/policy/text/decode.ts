import { limits } from '../../pdp/model/limits.ts';
import type { Finding } from './finding.ts';
import { firstInvalidByte } from './utf8.ts';

export interface Decoded {
  /** Without the byte order mark that the bytes may start with. */
  readonly text: string;
  /** What is no UTF-8, in order; each such byte is one character of the text, and that character means nothing. */
  readonly faults: readonly Finding[];
}

/** The text of a file's bytes. It ends with the first fault that is one too many. */
export function decode(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), faults: [] };
  } catch {
    return decodePieces(bytes);
  }
}

function decodePieces(bytes: Uint8Array): Decoded {
  const faults: Finding[] = [];
  let text = '';
  let from = 0;
  while (faults.length <= limits.violationsPerFile) {
    const at = firstInvalidByte(bytes, from);
    const piece = bytes.subarray(from, at === -1 ? bytes.length : at);
    text += new TextDecoder('utf-8', { ignoreBOM: from > 0 }).decode(piece);
    if (at === -1) break;
    const byte = bytes[at]?.toString(16).padStart(2, '0');
    const message = `not utf-8: byte 0x${byte} at offset ${at}`;
    faults.push({ path: [], code: 'syntax', message, hint: 'save the file as utf-8', offset: text.length });
    text += '?';
    from = at + 1;
  }
  return { text, faults };
}
