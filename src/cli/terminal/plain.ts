/**
 * What is not seen where it stands, but changes how what is around it is seen: controls (C0, C1), formats (of
 * direction, joining, tags), separators of lines and paragraphs, and the rest of the block of tags.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e00ff}]/gu;

/**
 * Text of a document or a request, fit for a terminal: no control characters, which could recolour,
 * move or hide what is printed around them.
 */
export function printable(text: string): string {
  return text.replace(unseen, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}

/** JSON on one line, fit for a terminal too: what would not be seen is escaped, so that it says the same. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(unseen, (char) => {
    let escaped = '';
    for (let i = 0; i < char.length; i++) escaped += `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`;
    return escaped;
  });
}
