/** Of a value that seldom changes: the text that was made of it last. */
export function remembered<T>(make: (value: T) => string): (value: T) => string {
  let last: { readonly value: T; readonly text: string } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, text: make(value) };
    return last.text;
  };
}
