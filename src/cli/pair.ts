/** `key=value`: keys hold colons and slashes but no `=`, values hold anything. Undefined if there is no key. */
export function pairOf(text: string): [string, string] | undefined {
  const equals = text.indexOf('=');
  return equals < 1 ? undefined : [text.slice(0, equals), text.slice(equals + 1)];
}
