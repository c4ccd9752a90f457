import { isIP } from 'node:net';

/** Whether an address is of this machine alone. */
export function isLoopback(address: string): boolean {
  const bare = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/**
 * Whether a request that needs no proof of who asks was meant for this machine. A page in a browser can have its own
 * name resolved to a loopback address, and then asks with that name (DNS rebinding).
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  if (name === 'localhost') return true;
  return isLoopback(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name);
}
