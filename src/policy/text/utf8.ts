/**
 * The offset of the first byte that is no UTF-8 (RFC 3629), or -1. A decoder that is told to be fatal says only that
 * there is one. `from` is where a character begins, or what is none.
 */
export function firstInvalidByte(bytes: Uint8Array, from = 0): number {
  let at = from;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return -1;
}

function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  // The second byte's range shuts out overlong forms, surrogates and what is above U+10FFFF.
  let low = 0x80;
  let high = 0xbf;
  let length: number;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first === 0xe0) low = 0xa0;
    if (first === 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first === 0xf0) low = 0x90;
    if (first === 0xf4) high = 0x8f;
  } else return 0;
  const second = bytes[at + 1] ?? 0;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
