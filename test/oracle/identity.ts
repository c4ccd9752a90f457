/** SPIFFE IDs as the standard has them, and what a template reads off them. */

const domainLetters = 'abcdefghijklmnopqrstuvwxyz0123456789._-';
const pathLetters = `${domainLetters}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** [ID1] [ID2] [ID3] */
export function splitSpiffeId(text: string): { domain: string; path: string } | undefined {
  if (text.length > 2048 || !text.startsWith('spiffe://')) return undefined;
  const rest = text.slice('spiffe://'.length);
  const slash = rest.indexOf('/');
  const domain = slash === -1 ? rest : rest.slice(0, slash);
  const path = slash === -1 ? '' : rest.slice(slash);
  if (domain.length < 1 || domain.length > 255) return undefined;
  for (const letter of domain) if (!domainLetters.includes(letter)) return undefined;
  if (path === '') return { domain, path };
  for (const segment of path.slice(1).split('/')) {
    if (segment === '' || segment === '.' || segment === '..') return undefined;
    for (const letter of segment) if (!pathLetters.includes(letter)) return undefined;
  }
  return { domain, path };
}

/** [SRC5] Segment by segment: `{key}` stands for a whole one, all else for itself. Undefined: it does not fit. */
export function readTemplate(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const got = path.split('/');
  if (wanted.length !== got.length) return undefined;
  const read: Record<string, string> = {};
  for (let i = 0; i < wanted.length; i++) {
    const part = wanted[i]!;
    if (part.startsWith('{') && part.endsWith('}')) read[part.slice(1, -1)] = got[i]!;
    else if (part !== got[i]) return undefined;
  }
  return read;
}
