import type { IncomingMessage } from 'node:http';

/** An answer of the API server that is none of those hoped for. */
export class ApiError extends Error {
  readonly status: number;
  /** Milliseconds to wait, if the server says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** A list of less may be answered with less. */
export class TooLarge extends Error {
  constructor(most: number) {
    super(`got an answer of more than ${most} bytes from the API server`);
    this.name = 'TooLarge';
  }
}

export const mostBytes = 64 * 1024 * 1024;
const mostLineBytes = 4 * 1024 * 1024;

/** The whole of an answer as JSON. */
export async function readAnswer(response: IncomingMessage, most = mostBytes): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > most) throw new TooLarge(most);
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString('utf8');
  if (response.statusCode === 200 || response.statusCode === 201) return JSON.parse(text);
  throw errorOf(response, text);
}

function errorOf(response: IncomingMessage, text: string): ApiError {
  const status = response.statusCode ?? 0;
  const after = Number(response.headers['retry-after']);
  return new ApiError(
    status,
    messageOf(text) ?? `the API server answered ${status}`,
    after > 0 ? after * 1000 : undefined,
  );
}

function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, 500) : undefined;
  } catch {
    return undefined;
  }
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** Events of a watch, one a line, however the bytes were cut on the way. What is cut off at the end is no event. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<WatchEvent> {
  if (response.statusCode !== 200) {
    await readAnswer(response);
    return;
  }
  let rest = Buffer.alloc(0);
  for await (const piece of response as AsyncIterable<Buffer>) {
    let from = 0;
    let bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const line = bytes.toString('utf8', from, end);
      from = end + 1;
      if (line !== '') yield JSON.parse(line) as WatchEvent;
    }
    bytes = bytes.subarray(from);
    if (bytes.length > mostLineBytes) throw new Error(`got an event of more than ${mostLineBytes} bytes`);
    rest = Buffer.from(bytes);
  }
}
