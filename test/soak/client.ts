import { Agent, request } from 'node:http';
import { type Question, questions, type World } from './requests.ts';

/** A process that asks until it is told to stop, and then says what it got. */

export interface Load extends World {
  readonly port: number;
  readonly seed: number;
  readonly connections: number;
}

export interface Got {
  replies: number;
  decisions: number;
  /** Turned away with 503. */
  shed: number;
  /** Other replies than wanted, and requests without any; the first of them in words. */
  wrong: number;
  readonly words: string[];
}

const got: Got = { replies: 0, decisions: 0, shed: 0, wrong: 0, words: [] };
const mostWords = 5;
let over = false;

function wrong(words: string): void {
  got.wrong++;
  if (got.words.length < mostWords) got.words.push(words);
}

function one(agent: Agent, port: number, question: Question): Promise<void> {
  const { method, path, type, body, status, decisions } = question;
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const lost = (error: NodeJS.ErrnoException): void => {
      wrong(`${method} ${path}: ${error.code ?? error.message}`);
      resolve();
    };
    const asked = request({ agent, port, host: '127.0.0.1', method, path, headers }, (reply) => {
      reply.on('error', lost);
      reply.on('end', () => {
        got.replies++;
        if (reply.statusCode === 503) got.shed++;
        else if (reply.statusCode === status) got.decisions += decisions;
        else wrong(`${method} ${path}: got ${reply.statusCode}, want ${status}: ${body.slice(0, 200)}`);
        resolve();
      });
      reply.resume();
    });
    asked.on('error', lost);
    asked.end(body);
  });
}

process.once('message', async ({ port, connections, seed, ...world }: Load) => {
  process.once('message', () => {
    over = true;
  });
  const next = questions(world, seed);
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (!over) await one(agent, port, next());
      agent.destroy();
    }),
  );
  process.send?.(got);
  process.disconnect();
});
