import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli/program.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, with streams of its own. */
export async function run(args: readonly string[], input: string | Iterable<string> = ''): Promise<Ran> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const [out, err] = [text(stdout), text(stderr)];
  const stdin = Readable.from(
    [...(typeof input === 'string' ? [input] : input)].map((part) => Buffer.from(part)),
  );
  const code = await main(args, { stdin, stdout, stderr, env: {} });
  stdout.end();
  stderr.end();
  return { code, out: await out, err: await err };
}
