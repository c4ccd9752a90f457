import { verifyLimits } from './limits.ts';

/** Asks a running Envoy for the configuration that it has. */

const { dumpBytes, dumpMilliseconds } = verifyLimits;

/** Why nothing came, for the person who asked. */
export class AdminFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AdminFailure';
  }
}

export async function fetchDump(admin: string): Promise<unknown> {
  let url: URL;
  try {
    url = new URL('config_dump', admin.endsWith('/') ? admin : `${admin}/`);
  } catch {
    throw new AdminFailure('not a URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new AdminFailure('not an http URL');
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(dumpMilliseconds), redirect: 'error' });
    if (!response.ok) throw new AdminFailure(`answered ${response.status}`);
    return JSON.parse(await bodyOf(response));
  } catch (error) {
    if (error instanceof AdminFailure) throw error;
    if (error instanceof SyntaxError) throw new AdminFailure('answered with something that is no JSON');
    throw new AdminFailure(reasonOf(error));
  }
}

async function bodyOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > dumpBytes) throw new AdminFailure(`answered with more than ${dumpBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${dumpMilliseconds / 1000} seconds`;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ?? error.message;
}
