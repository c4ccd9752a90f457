import type { Match } from '../../policy/inspect/policies.ts';
import type { Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import type { Inspected } from './inspected.ts';

/** An inspected proxy for people: what it has, and below each part the policies that speak of it. */
export function inspectText(inspected: Partial<Inspected>, paint: Palette): readonly string[] {
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
      policies.map(({ kind, origins }) => merged(kind, origins)),
    );
  for (const { kri, policies: found } of inbounds)
    section(
      `inbound ${kri}`,
      found.flatMap(({ kind, rules }) => [
        kind,
        ...rules.map((rule, at) => `  ${at + 1}. ${rule.kri}  ${whom(rule.matches)}: ${told(rule.conf)}`),
      ]),
    );
  for (const { name, policies: found } of outbounds)
    if (found.length > 0)
      section(
        `outbound ${name}`,
        found.map(({ kind, origins }) => merged(kind, origins)),
      );
  return lines;

  function section(title: string, below: readonly string[]): void {
    if (lines.length > 0) lines.push('');
    lines.push(paint.bold(printable(title)));
    for (const line of below.length === 0 ? ['no policy'] : below) lines.push(printable(`  ${line}`));
  }
}

function merged(kind: string, origins: readonly { readonly kri: string }[]): string {
  return `${kind}: ${origins.map(({ kri }) => kri).join(', ')}`;
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

const longest = 60;

function told(conf: unknown): string {
  const text = JSON.stringify(conf);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
