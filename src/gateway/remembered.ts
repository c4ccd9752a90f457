/** Of a value that seldom changes: the text that was made of it last. */
export function remembered<T>(make: (value: T) => string): (value: T) => string {
  let last: { readonly value: T; readonly text: string } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, text: make(value) };
    return last.text;
  };
}

/**
 * The same text in one piece. What is put together the engine keeps as pieces, and goes through them each time the text
 * becomes part of another.
 */
export function inOnePiece(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
