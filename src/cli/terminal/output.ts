import type { Writable } from 'node:stream';
import { cannotWrite } from './cannot-write.ts';

export type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const narrowest = 60;
const widest = 120;
const notATerminal = 100;

/** One of the two streams that a command writes to. Waits when its reader is slower than we are. */
export class Output {
  readonly columns: number;
  readonly colour: boolean;
  readonly #stream: Stream;
  #gone = false;
  #failed = false;

  /** `failed` hears once why nothing goes out any more. */
  constructor(
    stream: Stream,
    env: Readonly<Record<string, string | undefined>>,
    failed?: (reason: string) => void,
  ) {
    this.#stream = stream;
    const terminal = stream.isTTY === true;
    // https://no-color.org: present and not empty, whatever its value.
    this.colour = terminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    this.columns = terminal
      ? Math.min(widest, Math.max(narrowest, stream.columns ?? notATerminal))
      : notATerminal;
    // Node gives stdout back after an error, so that only the event tells that its reader left.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#gone = true;
      const reason = cannotWrite(error);
      if (reason === undefined || this.#failed) return;
      this.#failed = true;
      failed?.(reason);
    });
  }

  /** Nobody reads any more (`| head`): there is no use in going on. */
  get closed(): boolean {
    return this.#gone || this.#stream.destroyed;
  }

  /** Somebody reads, and was not told all. */
  get failed(): boolean {
    return this.#failed;
  }

  async write(text: string): Promise<void> {
    if (text === '' || this.closed || this.#stream.write(text)) return;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'] as const;
      const done = () => {
        for (const event of events) this.#stream.off(event, done);
        resolve();
      };
      for (const event of events) this.#stream.on(event, done);
    });
  }

  async line(text = ''): Promise<void> {
    await this.write(`${text}\n`);
  }
}

/** What a command sees of the world. */
export interface Terminal {
  readonly in: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly out: Output;
  readonly err: Output;
}
