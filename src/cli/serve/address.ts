import { isLoopback } from '../../gateway/http/host.ts';

/** Where to listen. */
export type Address =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

const prefix = 'unix:';
export const lastPort = 65_535;

/** `host:port`, `[::1]:port`, `unix:/path`; undefined if it is none of them. */
export function readAddress(text: string): Address | undefined {
  if (text.startsWith(prefix)) {
    const path = text.slice(prefix.length);
    return path === '' ? undefined : { kind: 'socket', path };
  }
  const [, bracketed, bare, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? bare;
  const port = Number(digits);
  return host === undefined || port > lastPort ? undefined : { kind: 'tcp', host, port };
}

/** Whether only this machine can reach it. */
export function isLocal(address: Address): boolean {
  return address.kind === 'socket' || address.host === 'localhost' || isLoopback(address.host);
}

export function urlOf(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
