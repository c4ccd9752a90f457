import type { IncomingMessage, ServerResponse } from 'node:http';

const header = 'x-request-id';

/** A caller's name of its request comes back as it was (SPEC AZ4). */
export function returnId({ headers }: IncomingMessage, outgoing: ServerResponse): void {
  const id = headers[header];
  if (id !== undefined) giveBack(outgoing, id as string);
}

/** As a line of a head, of a reply that will not be written. */
export function lineWithId(outgoing: ServerResponse | undefined | null): readonly string[] {
  const id = outgoing?.getHeader(header);
  return id === undefined ? [] : [`${header}: ${String(id)}`];
}

/**
 * Node writes a head together with a body that is text, in the encoding of the body, in which bytes of a header above
 * ASCII would become others: such a head goes with bytes.
 */
function giveBack(outgoing: ServerResponse, id: string): void {
  outgoing.setHeader(header, id);
  if (Buffer.byteLength(id) === id.length) return;
  const end = outgoing.end.bind(outgoing) as (chunk?: unknown) => ServerResponse;
  outgoing.end = ((chunk?: unknown) =>
    end(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) as ServerResponse['end'];
}
