import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { checkPath } from '../../../../src/envoy/authz/service.ts';
import { frame } from '../../../../src/envoy/grpc/frames.ts';

/**
 * Many more calls than can be answered, by a process of its own: `node flood.ts <port> <connections> <calls> <file>`
 * keeps so many calls under way on each connection until it is told to end, with the messages of a file in turns, and
 * prints what became of them.
 */

export interface Flooded {
  /** Calls by the status that they ended with. */
  readonly statuses: Readonly<Record<string, number>>;
}

const [port, connections, calls, file = ''] = process.argv.slice(2);
const bodies = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((one) =>
  frame(Buffer.from(one, 'base64')),
);
let next = 0;
const head = { ':method': 'POST', ':path': checkPath, 'content-type': 'application/grpc', te: 'trailers' };
const statuses: Record<string, number> = {};
let [over, underway, ended] = [false, 0, 0];
/** Milliseconds that the last calls have to come to an end. */
const patience = 20_000;

function say(): void {
  // What never ends is told as well.
  const all = underway === 0 ? statuses : { ...statuses, unanswered: underway };
  process.stdout.write(`${JSON.stringify({ statuses: all } satisfies Flooded)}\n`);
}

process.once('SIGTERM', () => {
  over = true;
  setTimeout(() => {
    say();
    process.exit();
  }, patience).unref();
});

async function flood(): Promise<void> {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  const call = () =>
    new Promise<void>((resolve) => {
      const stream = session.request(head);
      underway++;
      let status = 'none';
      for (const event of ['response', 'trailers'] as const)
        stream.on(event, (headers) => {
          status = String(headers['grpc-status'] ?? status);
        });
      stream.on('error', () => undefined);
      stream.on('close', () => {
        underway--;
        statuses[status] = (statuses[status] ?? 0) + 1;
        // From here on there are as many at the service as there will be.
        if (++ended === Number(connections) * Number(calls)) process.stdout.write('flooding\n');
        resolve();
      });
      stream.resume();
      stream.end(bodies[next++ % bodies.length]);
    });
  const one = async () => {
    while (!over) {
      await call();
      // A call that ends at once would let nothing else happen, not even that it is told to end.
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: Number(calls) }, one));
  session.close();
}

await Promise.all(Array.from({ length: Number(connections) }, flood));
say();
