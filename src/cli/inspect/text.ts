import type { Match } from '../../policy/inspect/policies.ts';
import type { Inspected } from '../../policy/inspect/proxy.ts';
import type { Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';

/** An inspected proxy for people: what it has, and below each part the policies that speak of it. */
export function inspectText(inspected: Partial<Inspected>, paint: Palette, room: number): readonly string[] {
  const { layout, policies, inbounds = [], outbounds = [] } = inspected;
  const lines: string[] = [];
  if (layout !== undefined) {
    lines.push(paint.bold(printable(layout.kri)));
    for (const { port, protocol, kri } of layout.inbounds)
      lines.push(printable(`  inbound   ${String(port).padEnd(5)} ${(protocol ?? '').padEnd(4)} ${kri}`));
    for (const { port, proxyResourceName } of layout.outbounds)
      lines.push(printable(`  outbound  ${String(port ?? '').padEnd(5)}      ${proxyResourceName}`));
  }
  if (policies !== undefined)
    section(
      'the proxy',
      policies.flatMap(({ kind, origins }) => merged(kind, origins)),
    );
  for (const { kri, policies: found } of inbounds)
    section(
      `inbound ${kri}`,
      found.flatMap(({ kind, rules }) => [
        kind,
        ...rules.flatMap((rule, at) => {
          const [first, ...more] = [rule.kri, whom(rule.matches), told(rule.conf, room - confIndent)];
          return [`  ${at + 1}. ${first}`, ...more.map((one) => `     ${one}`)];
        }),
      ]),
    );
  for (const { name, policies: found } of outbounds)
    if (found.length > 0)
      section(
        `outbound ${name}`,
        found.flatMap(({ kind, origins }) => merged(kind, origins)),
      );
  return lines;

  function section(title: string, below: readonly string[]): void {
    if (lines.length > 0) lines.push('');
    lines.push(paint.bold(printable(title)));
    for (const line of below.length === 0 ? ['no policy'] : below) lines.push(printable(`  ${line}`));
  }
}

function merged(kind: string, origins: readonly { readonly kri: string }[]): readonly string[] {
  return [kind, ...origins.map(({ kri }) => `  ${kri}`)];
}

function whom(matches: readonly Match[] | undefined): string {
  if (matches === undefined) return 'everybody';
  return matches
    .map(({ mesh, tags, except }) => {
      const is = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
      const not = Object.entries(except).flatMap(([tag, values]) =>
        values.map((value) => `${tag}!=${value}`),
      );
      const all = [...is, ...not];
      return all.length === 0 ? `all of ${mesh}` : `${all.join(' ')} of ${mesh}`;
    })
    .join('; ');
}

/** How far what a rule says stands from the left. */
const confIndent = 7;

/** On one line; --json has all of it. */
function told(conf: unknown, room: number): string {
  const text = JSON.stringify(conf);
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}
