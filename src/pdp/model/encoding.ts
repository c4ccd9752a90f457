/** Of every platform, and of none of the libraries that this folder is checked with. */
declare const TextEncoder: new () => {
  /** Lone surrogates become U+FFFD. */
  encode(text: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number };
};
declare const TextDecoder: new (
  label: string,
  options: { readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

export const encoder = new TextEncoder();
/** What looks like a byte order mark is text: it stands where a string begins, not a file. */
export const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
