import { isIP } from 'node:net';

const mapped = '::ffff:';

/** An IP address in the one form that all its spellings share; undefined if it is none. */
export function normalAddress(text: string): string | undefined {
  const family = isIP(text);
  // Node refuses leading zeros, so an IPv4 address has one form.
  if (family === 4) return text;
  // A zone says which of our own links is meant, which no pod's address has.
  if (family !== 6 || text.includes('%')) return undefined;
  const { hostname } = new URL(`http://[${text}]`);
  const address = hostname.slice(1, -1);
  return address.startsWith(mapped) ? fromMapped(address.slice(mapped.length)) : address;
}

/** `a01:203` of `::ffff:a01:203`, the way URLs write 10.1.2.3 there. */
function fromMapped(text: string): string {
  const [high = '', low = ''] = text.split(':');
  const number = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.');
}
