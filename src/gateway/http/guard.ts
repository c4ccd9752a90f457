import type { RequestListener } from 'node:http';
import type { Observer } from '../service.ts';
import { misdirected } from './address.ts';
import { sendProblem } from './problem.ts';
import { returnId } from './request-id.ts';
import { giveRoom, type Room } from './room.ts';
import { failed } from './ways.ts';

/** Answered however much there is to do: whoever looks after the service must not take it for dead. */
const always: ReadonlySet<string> = new Set(['/live', '/healthz', '/ready', '/metrics']);

/** What is turned away before anybody looks at it. */
export function guarded(
  inner: RequestListener,
  room: Room,
  observer: Observer,
  hostFits: ((host: string) => boolean) | undefined,
): RequestListener {
  return (incoming, outgoing) => {
    returnId(incoming, outgoing);
    const refused = misdirected(incoming, hostFits);
    if (refused !== undefined) return sendProblem(outgoing, refused);
    const { url = '' } = incoming;
    const end = url.indexOf('?');
    if (always.has(end < 0 ? url : url.slice(0, end))) return void inner(incoming, outgoing);
    if (!room.work.admits()) return failed(outgoing, observer, room.tooMuch());
    giveRoom(incoming, room);
    inner(incoming, outgoing);
  };
}
