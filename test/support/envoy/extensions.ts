/** What a request is for, as an Envoy says it in context extensions; `destination`: fields of it. */
export function extensionsOf(destination: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(destination).map(([key, value]) => [`placet.${key}`, value]));
}
