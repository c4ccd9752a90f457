import { Agent, request } from 'node:http';
import type { Decision } from '../../../src/pdp/model/decision.ts';

export interface Seen {
  replies: number;
  /** Connections that could not be made: nothing was sent. */
  refused: number;
  /** Requests that were sent and not answered, by the code of the error. */
  readonly lost: string[];
  /** What was said by which set: `snapshot decision`. */
  readonly verdicts: Map<string, number>;
  readonly statuses: Map<number, number>;
}

export interface Clients {
  readonly seen: Seen;
  /** Resolves after so many more replies. */
  replies(more: number): Promise<void>;
  stop(): Promise<void>;
}

/** Several clients, each with a connection that it keeps, asking one request after the other. */
export function ask(port: number, body: object, count = 8): Clients {
  const seen: Seen = { replies: 0, refused: 0, lost: [], verdicts: new Map(), statuses: new Map() };
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();
  let over = false;
  const one = (agent: Agent): Promise<void> =>
    new Promise((resolve) => {
      const asked = request(
        { agent, port, host: '127.0.0.1', path: '/decide', method: 'POST', headers },
        (reply) => {
          let answer = '';
          reply.setEncoding('utf8');
          reply.on('data', (part: string) => {
            answer += part;
          });
          reply.on('end', () => {
            count1(seen.statuses, reply.statusCode ?? 0);
            if (reply.statusCode === 200) {
              const { snapshot, decision } = JSON.parse(answer) as Decision;
              count1(seen.verdicts, `${snapshot} ${decision}`);
            }
            seen.replies++;
            for (const wait of waiting) if (seen.replies >= wait.at) wait.resolve();
            resolve();
          });
          reply.on('error', (error: NodeJS.ErrnoException) => {
            seen.lost.push(error.code ?? error.message);
            resolve();
          });
        },
      );
      asked.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') seen.refused++;
        else seen.lost.push(error.code ?? error.message);
        // Whoever cannot connect does not hammer.
        setTimeout(resolve, 5);
      });
      asked.end(text);
    });
  const clients = Array.from({ length: count }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!over) await one(agent);
    agent.destroy();
  });
  return {
    seen,
    replies: (more) =>
      new Promise((resolve) => {
        const wait = {
          at: seen.replies + more,
          resolve: () => {
            waiting.delete(wait);
            resolve();
          },
        };
        waiting.add(wait);
      }),
    async stop() {
      over = true;
      await Promise.all(clients);
    },
  };
}

function count1<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
