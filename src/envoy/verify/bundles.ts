import { field, items, textOf } from './json.ts';

/** What the SPIFFE validator believes, one bundle for each trust domain. */
export interface Bundle {
  readonly trustDomain: string;
  /** Certificates, or the place that they come from: by them bundles are told apart. */
  readonly marks: readonly string[];
}

export function bundlesOf(validator: unknown): readonly Bundle[] {
  return items(field(validator, 'trust_domains')).flatMap((one) => {
    const trustDomain = textOf(field(one, 'name'));
    return trustDomain === undefined ? [] : [{ trustDomain, marks: marksOf(field(one, 'trust_bundle')) }];
  });
}

/** Trust domains whose identities one authority may give out, in the order of the first of them. */
export function sharing(bundles: readonly Bundle[]): readonly string[] {
  const owners = new Map<string, Set<string>>();
  for (const { trustDomain, marks } of bundles)
    for (const mark of marks) owners.set(mark, (owners.get(mark) ?? new Set()).add(trustDomain));
  return [...([...owners.values()].find(({ size }) => size > 1) ?? [])];
}

function marksOf(source: unknown): readonly string[] {
  const bytes = textOf(field(source, 'inline_bytes'));
  const inline = textOf(field(source, 'inline_string')) ?? (bytes && Buffer.from(bytes, 'base64').toString());
  if (inline !== undefined) return certificatesIn(inline);
  const file = textOf(field(source, 'filename'));
  if (file !== undefined) return [`file ${plainPath(file)}`];
  return [`variable ${textOf(field(source, 'environment_variable')) ?? ''}`];
}

/** Their base64 without line ends; the whole text where it has none. */
function certificatesIn(pem: string): readonly string[] {
  const found = [...pem.matchAll(/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----([^-]*)-----END/g)];
  const bodies = found.map(([, body = '']) => body.replace(/\s/g, ''));
  return bodies.length > 0 ? bodies : [pem];
}

/** One spelling of a path; where links lead is not in a configuration. */
function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/');
}
