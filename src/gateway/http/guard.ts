import type { RequestListener, ServerResponse } from 'node:http';
import type { Observer } from '../service.ts';
import { sendProblem } from './problem.ts';
import { giveRoom, type Room } from './room.ts';
import { failed } from './ways.ts';

/** Answered however much there is to do: whoever looks after the service must not take it for dead. */
const always: ReadonlySet<string> = new Set(['/live', '/healthz', '/ready', '/metrics']);

/**
 * Node writes a head together with a body that is text, in the encoding of the body, in which bytes of a header above
 * ASCII would become others: such a head goes with bytes.
 */
function giveBack(outgoing: ServerResponse, id: string): void {
  outgoing.setHeader('x-request-id', id);
  if (Buffer.byteLength(id) === id.length) return;
  const end = outgoing.end.bind(outgoing) as (chunk?: unknown) => ServerResponse;
  outgoing.end = ((chunk?: unknown) =>
    end(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) as ServerResponse['end'];
}

/** What is turned away before anybody looks at it. */
export function guarded(
  inner: RequestListener,
  room: Room,
  observer: Observer,
  hostFits: ((host: string) => boolean) | undefined,
): RequestListener {
  return (incoming, outgoing) => {
    const { headers, url = '' } = incoming;
    const { host } = headers;
    const id = headers['x-request-id'];
    if (id !== undefined) giveBack(outgoing, id as string);
    if (host === undefined && incoming.httpVersion === '1.1')
      return sendProblem(outgoing, { status: 400, title: 'no host', detail: 'got no header host, want one' });
    if (!url.startsWith('/') && !url.startsWith('http'))
      return sendProblem(outgoing, {
        status: 400,
        title: 'no path',
        detail: 'want a path that begins with "/"',
      });
    if (hostFits !== undefined && !hostFits(host ?? ''))
      return sendProblem(outgoing, {
        status: 421,
        title: 'not meant for this service',
        detail: `got the header host ${JSON.stringify(host ?? '')}, want localhost or a loopback address`,
      });
    const end = url.indexOf('?');
    if (always.has(end < 0 ? url : url.slice(0, end))) return void inner(incoming, outgoing);
    if (!room.work.admits()) return failed(outgoing, observer, room.tooMuch());
    giveRoom(incoming, room);
    inner(incoming, outgoing);
  };
}
