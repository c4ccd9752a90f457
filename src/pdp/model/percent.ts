/**
 * Percent-encoding (RFC 3986 §2.1) in its one normal form: what compares URIs as text, as Envoy does, must see one
 * spelling of each value.
 */
export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** A part of a URI between slashes. */
export function decodePart(written: string): Decoded {
  const text = decode(written);
  if (text === undefined)
    return { ok: false, message: `got ${JSON.stringify(written)}, in which an escape is broken` };
  const normal = encodePart(text);
  if (normal !== written) {
    const message = `got ${JSON.stringify(written)}, which has another spelling`;
    return { ok: false, message, hint: `write ${JSON.stringify(normal)}` };
  }
  if (/\p{Cc}/u.test(text))
    return { ok: false, message: `got ${JSON.stringify(written)}, which holds a control character` };
  return { ok: true, text };
}

/** Escapes all but what a path segment may hold (RFC 3986 §3.3). */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

function decode(written: string): string | undefined {
  try {
    const text = decodeURIComponent(written);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}
