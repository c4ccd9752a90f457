/** Tags as policies write them, against tags as proxies have them. */

export type Tags = ReadonlyMap<string, readonly string[]>;

/** `!v` is any value but `v`, and none at all. */
export function matchesTags(wanted: Readonly<Record<string, string>> | undefined, tags: Tags): boolean {
  return Object.entries(wanted ?? {}).every(([tag, value]) =>
    value.startsWith('!')
      ? !tags.get(tag)?.includes(value.slice(1))
      : tags.get(tag)?.includes(value) === true,
  );
}

/** In selectors of gateways and services, `*` is any value. */
export function matchesSelector(wanted: Readonly<Record<string, string>>, tags: Tags): boolean {
  return Object.entries(wanted).every(([tag, value]) =>
    value === '*' ? tags.has(tag) : tags.get(tag)?.includes(value) === true,
  );
}

export function matchesLabels(
  wanted: Readonly<Record<string, string>>,
  labels: ReadonlyMap<string, string>,
): boolean {
  return Object.entries(wanted).every(([label, value]) => labels.get(label) === value);
}
