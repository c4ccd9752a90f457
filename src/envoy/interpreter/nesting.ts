/** Envoy's reader of JSON and YAML stops at 100 levels from the root of what it loads. */
const deepest = 90;

/** What is too deep about a configuration, looked at without recursion. */
export function tooDeep(value: unknown): string | undefined {
  const waiting: [unknown, number][] = [[value, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [inner, depth] = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth > deepest) return `nested more than ${deepest} levels, which Envoy cannot load`;
    for (const part of Object.values(inner)) waiting.push([part, depth + 1]);
  }
  return undefined;
}
