import type { IncomingMessage } from 'node:http';
import type { Problem } from './problem.ts';

/** Why a request is not for us by what it says of whom it is for, if so (RFC 9112 §3.2). */
export function misdirected(
  { headers: { host }, httpVersion, rawHeaders, url = '' }: IncomingMessage,
  hostFits: ((host: string) => boolean) | undefined,
): Problem | undefined {
  if (host === undefined && httpVersion === '1.1')
    return { status: 400, title: 'no host', detail: 'got no header host, want one' };
  if (isTwice(rawHeaders))
    return {
      status: 400,
      title: 'more than one host',
      detail: 'got the header host more than once, want one',
    };
  const target = url.startsWith('/') ? host : /^https?:\/\/([^/?#]+)/.exec(url)?.[1];
  if (target === undefined && !url.startsWith('/'))
    return { status: 400, title: 'no path', detail: 'want a path that begins with "/"' };
  if (hostFits !== undefined && !hostFits(target ?? ''))
    return {
      status: 421,
      title: 'not meant for this service',
      detail: `got the host ${JSON.stringify(target ?? '')}, want localhost or a loopback address`,
    };
  // A target goes before the header, and nobody who is honest sends another one there.
  if (host !== undefined && target !== host && target?.toLowerCase() !== host.toLowerCase())
    return {
      status: 400,
      title: 'more than one host',
      detail: `got the host ${JSON.stringify(target)} in the target and ${JSON.stringify(host)} in the header, want one`,
    };
  return undefined;
}

/** Node keeps the first of them, and others may keep the last. */
function isTwice(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') found++;
  }
  return found > 1;
}
