import { closeSync, openSync, readSync } from 'node:fs';

export interface LogEntry {
  /** The probe's, or listener and port of a connection. */
  readonly id: string;
  readonly details: string | null;
  readonly path?: string | null;
  /** What the RBAC filters left: `[prefix]shadow_engine_result` and so on. */
  readonly rbac: Readonly<Record<string, unknown>> | null;
  /** The header with a token, if it is still there where the request leaves. */
  readonly token?: string | null;
  /** The id that the answer has of Placet's decision, if it has one. */
  readonly decision?: string | null;
  /** What other filters left, by their names. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Reads a log that Envoy writes, as far as it is written, and gives each entry once. */
export class AccessLog {
  readonly #file: string;
  readonly #entries = new Map<string, LogEntry>();
  readonly #chunk = Buffer.alloc(1 << 20);
  #offset = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
  }

  /** Waits until all of them are there; Envoy writes what it has every few milliseconds. */
  async take(ids: readonly string[], withinMs = 20_000): Promise<LogEntry[]> {
    const until = Date.now() + withinMs;
    while (!ids.every((id) => this.#entries.has(id))) {
      if (Date.now() > until) {
        const lacking = ids.filter((id) => !this.#entries.has(id));
        throw new Error(
          `${lacking.length} of ${ids.length} not in Envoy's access log: ${lacking.slice(0, 5)}`,
        );
      }
      this.#read();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return ids.map((id) => {
      const entry = this.#entries.get(id)!;
      this.#entries.delete(id);
      return entry;
    });
  }

  #read(): void {
    const descriptor = openSync(this.#file, 'r');
    try {
      for (;;) {
        const count = readSync(descriptor, this.#chunk, 0, this.#chunk.length, this.#offset);
        if (count === 0) return;
        this.#offset += count;
        this.#parse(Buffer.concat([this.#rest, this.#chunk.subarray(0, count)]));
      }
    } finally {
      closeSync(descriptor);
    }
  }

  #parse(bytes: Buffer): void {
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = Buffer.from(bytes.subarray(end));
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      const entry = JSON.parse(line) as LogEntry;
      if (entry.id !== null) this.#entries.set(entry.id, entry);
    }
  }
}
