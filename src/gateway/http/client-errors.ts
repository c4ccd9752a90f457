import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Problem, problemText, problemType, sendProblem } from './problem.ts';
import { lineWithId, returnId } from './request-id.ts';

const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: { status: 431, title: 'the head of the request is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, title: 'the request took too long to arrive' },
};

/** What is so little of a request that nobody gets to see it. */
export function handleClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex & Answering) => {
    // A reply that has begun is not followed by another.
    if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true)
      return void socket.destroy();
    const problem = problems[error.code ?? ''] ?? { status: 400, title: 'this is no HTTP request' };
    answer(socket, problem, lineWithId(socket._httpMessage));
  });
  server.on('connect', (_, socket) =>
    answer(socket, { status: 405, title: 'not with this method', detail: 'got CONNECT, this is no proxy' }),
  );
  server.on('checkExpectation', (incoming, outgoing) => {
    returnId(incoming, outgoing);
    sendProblem(outgoing, {
      status: 417,
      title: 'not what is done here',
      detail: `got expect ${JSON.stringify(incoming.headers.expect)}, want 100-continue`,
    });
  });
}

/** The reply that Node is writing to a connection; it says so nowhere else. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

function answer(socket: Duplex, problem: Problem, more: readonly string[] = []): void {
  const text = problemText(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'connection: close',
    `content-type: ${problemType}`,
    `content-length: ${Buffer.byteLength(text)}`,
    ...more,
  ];
  // What came in a head is text of one byte a character.
  socket.write(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.end(text);
}
