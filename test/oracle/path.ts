/** [PATH1] [PATH2] A path as rules see it: normal, or ambiguous. */

const hex = '0123456789abcdef';
const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

export function normalPath(raw: string): { path: string } | 'ambiguous' {
  const question = raw.indexOf('?');
  const before = question === -1 ? raw : raw.slice(0, question);
  if (!before.startsWith('/')) return 'ambiguous';

  // `/..;x` written so is `/..` to Envoy, whatever else the path holds
  const plain = before.replace(/\/(\.\.?);[^/]*/g, '/$1');
  if (plain !== before && normalPath(before.replaceAll(';', '_')) === 'ambiguous') return 'ambiguous';

  let decoded = '';
  for (let i = 0; i < plain.length; i++) {
    const c = plain.charAt(i);
    if (c === '\0' || c === '#') return 'ambiguous';
    if (c === '\\') decoded += '/';
    else if (c !== '%') decoded += c;
    else {
      const high = hex.indexOf(plain.charAt(i + 1).toLowerCase() || '?');
      const low = hex.indexOf(plain.charAt(i + 2).toLowerCase() || '?');
      if (high === -1 || low === -1) return 'ambiguous';
      const meant = String.fromCharCode(high * 16 + low);
      if (meant === '/' || meant === '\\' || meant === '\0') return 'ambiguous';
      decoded += unreserved.includes(meant) ? meant : plain.slice(i, i + 3);
      i += 2;
    }
  }

  // dot segments first, then repeated slashes, as Envoy does it one after the other
  const kept: string[] = [];
  const segments = decoded.slice(1).split('/');
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    const last = i === segments.length - 1;
    if (segment === '.') {
      if (last) kept.push('');
    } else if (segment === '..') {
      kept.pop();
      if (last) kept.push('');
    } else kept.push(segment);
  }
  let path = `/${kept.join('/')}`;
  // Envoy keeps two slashes where there is nothing else
  if (path.length > 1 && path.replaceAll('/', '') === '') return { path: '//' };
  while (path.includes('//')) path = path.replace('//', '/');
  // decoding gave a dot segment its parameters: whether it is one, servers disagree
  const parts = path.split('/');
  if (parts.some((part) => part.startsWith('.;') || part.startsWith('..;'))) return 'ambiguous';
  return { path };
}
