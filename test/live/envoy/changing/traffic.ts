import { setTimeout as pause } from 'node:timers/promises';
import { type Authority, svid } from '../../../support/certificates/index.ts';
import { type Connection, connectHttp } from '../../../support/envoy/http-client.ts';
import type { Lab } from '../../../support/envoy/lab.ts';
import { socketOf } from '../../../support/envoy/listeners.ts';
import { type Asking, asking, idOf, type PolicySet } from './sets.ts';

/**
 * Requests without end while policies change, each client over one connection. An answer must be one that a set gives
 * which was in force at some time between the question and the answer; what it says of the rest is counted, so that a
 * test can tell how much its silence is worth.
 */

/** An Envoy, with its listener for requests as the first. */
export interface Node {
  readonly dataplane: string;
  readonly lab: Lab;
}

export interface Counts {
  requests: number;
  /** One verdict alone was right, for a client that has another one in other sets. */
  decisive: number;
  /** Decisive, and the set before all that may have been in force gives the other verdict: late would be wrong. */
  late: number;
  /** Both verdicts were right, since a change was under way: so often the old one came, so often the new one. */
  old: number;
  new: number;
  /** Sets that may have been in force, at most. */
  widest: number;
}

interface Client {
  readonly node: Node;
  readonly asking: Asking;
  readonly connection: Connection;
  readonly varies: boolean;
  /** The newest set by which it was answered while no other could be in force. */
  alone: number;
}

export class Traffic {
  /** The newest set that was given out. Nobody may have a newer one. */
  given = 0;
  readonly wrong: string[] = [];
  /** Connections that Envoy ended. */
  readonly lost: string[] = [];
  #counts = none();
  readonly #sets: readonly PolicySet[];
  readonly #taken: (dataplane: string) => number;
  readonly #rest: number;
  readonly #clients: readonly Client[];
  readonly #loops: Promise<unknown>;
  #over = false;

  /**
   * `taken`: the set that a node is known to have in force, or an older one. `rest`: milliseconds between an answer and
   * the next question.
   */
  static async begin(
    nodes: readonly Node[],
    home: Authority,
    sets: readonly PolicySet[],
    taken: (dataplane: string) => number,
    rest: number,
  ): Promise<Traffic> {
    const clients = nodes.flatMap((node) =>
      asking.map(async (one): Promise<Client> => {
        const certificate = await svid(home, idOf(one.name));
        const connection = await connectHttp({ path: socketOf(node.lab.envoy.folder, 0) }, { certificate });
        if (connection === undefined) throw new Error(`${one.name} was refused by ${node.dataplane}`);
        const varies = new Set(sets.map((set) => set.allows(node.dataplane, one))).size > 1;
        return { node, asking: one, connection, varies, alone: -1 };
      }),
    );
    return new Traffic(await Promise.all(clients), sets, taken, rest);
  }

  private constructor(
    clients: readonly Client[],
    sets: readonly PolicySet[],
    taken: (dataplane: string) => number,
    rest: number,
  ) {
    this.#clients = clients;
    this.#sets = sets;
    this.#taken = taken;
    this.#rest = rest;
    this.#loops = Promise.all(clients.map((client) => this.#ask(client)));
  }

  get varying(): number {
    return this.#clients.filter(({ varies }) => varies).length;
  }

  clientsOf(lab: Lab): number {
    return this.#clients.filter(({ node }) => node.lab === lab).length;
  }

  /** Resolves when all clients have been answered while what was given out last was alone in force. */
  async settled(): Promise<void> {
    for (const end = performance.now() + 20_000; ; await pause(1)) {
      const waiting = this.#clients.find(({ alone }) => alone < this.given);
      // Who lost its connection is told of when all is over.
      if (waiting === undefined || this.lost.length > 0) return;
      if (performance.now() > end) throw new Error(`${nameOf(waiting)} is not sure of set ${this.given}`);
    }
  }

  /** What was counted since this was asked last. */
  counted(): Counts {
    const counts = this.#counts;
    this.#counts = none();
    return counts;
  }

  /** After the last answer; the connections stay open until they are closed. */
  async end(): Promise<void> {
    this.#over = true;
    await this.#loops;
    for (const { connection, ...client } of this.#clients)
      if (!connection.open && this.lost.length === 0) this.lost.push(nameOf(client));
  }

  close(): void {
    for (const { connection } of this.#clients) connection.close();
  }

  async #ask(client: Client): Promise<void> {
    const { node, asking, connection } = client;
    while (!this.#over) {
      const from = this.#taken(node.dataplane);
      const code = await connection.ask({ path: asking.path });
      if (code === undefined) {
        this.lost.push(`${nameOf(client)} at set ${this.given}`);
        return;
      }
      this.#judge(client, code, from, this.given);
      await pause(this.#rest);
    }
  }

  #judge(client: Client, code: number, from: number, until: number): void {
    const { node, asking, varies } = client;
    const verdict = (number: number) => this.#sets[number]!.allows(node.dataplane, asking);
    const expected = verdict(until);
    let sure = true;
    for (let number = from; number < until; number++) if (verdict(number) !== expected) sure = false;
    const isNew = code === (expected ? 200 : 403);
    const isOld = code === (expected ? 403 : 200);
    if (!isNew && (sure || !isOld)) this.wrong.push(`${nameOf(client)}: ${code} by sets ${from} to ${until}`);
    const counts = this.#counts;
    counts.requests++;
    counts.widest = Math.max(counts.widest, until - from + 1);
    if (from === until) client.alone = until;
    if (!varies) return;
    if (!sure) counts[isNew ? 'new' : 'old']++;
    else {
      counts.decisive++;
      if (from > 0 && verdict(from - 1) !== expected) counts.late++;
    }
  }
}

function none(): Counts {
  return { requests: 0, decisive: 0, late: 0, old: 0, new: 0, widest: 0 };
}

function nameOf({ node, asking }: Pick<Client, 'node' | 'asking'>): string {
  return `${asking.name} at ${node.dataplane}`;
}
