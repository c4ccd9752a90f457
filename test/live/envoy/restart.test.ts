import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { temporary } from '../../gateway/live/opening.ts';
import { live } from '../../live.ts';
import { freePort } from '../../support/envoy/modes.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { start } from '../service/process.ts';
import { expectNoneLost } from './changing/course.ts';
import { mesh, numberOf, setsOf } from './changing/sets.ts';
import { type Node, Traffic } from './changing/traffic.ts';
import { closing, envoy, homeOf } from './xds-lab.ts';

/** The service as a user starts it, which ends while its Envoys decide, and comes back to other policies. */

const signals = ['SIGTERM', 'SIGKILL'] as const;
/** Of each life of the service: the set that it finds, and one that comes while it is there. */
const setsInAll = 2 * (signals.length + 1);

/** Three Envoys that say in three ways who they are. */
const called = {
  'web-1': { node: `${mesh}/web-1` },
  'web-2': { node: 'web-2', cluster: mesh },
  'web-3': { node: 'lab', metadata: { placet: { mesh, dataplane: 'web-3' } } },
} as const;
const dataplanes = Object.keys(called) as (keyof typeof called)[];

/** What Envoys say they use, by asking them again and again. */
class Held {
  /** By dataplane. A worker may have it a moment later than it is told, so twice is sure. */
  readonly sure = new Map<string, number>();
  readonly #told = new Map<string, number>();
  #over = false;
  readonly #loop: Promise<unknown>;

  constructor(nodes: readonly Node[]) {
    this.#loop = Promise.all(nodes.map((node) => this.#watch(node)));
  }

  all(number: number): boolean {
    return dataplanes.every((dataplane) => this.sure.get(dataplane) === number);
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#loop;
  }

  async #watch({ dataplane, lab }: Node): Promise<void> {
    for (; !this.#over; await pause(10)) {
      const dump = Buffer.from(await lab.envoy.admin('/config_dump?resource=ecds_filters'));
      if (!dump.includes('/sa/set-')) continue;
      const number = numberOf(dump);
      if (this.#told.get(dataplane) === number) this.sure.set(dataplane, number);
      this.#told.set(dataplane, number);
    }
  }
}

describe('Placet restarted', () => {
  for (const form of ['GRPC', 'DELTA_GRPC'] as const)
    live(
      envoyMissing,
      `[XDS1] [XDS8] Envoys by ${form} go on deciding while there is none, and have what changed when it is back`,
      async () => {
        const sets = setsOf(31, setsInAll, dataplanes);
        const folder = temporary();
        closing.push(() => folder.remove());
        const put = (number: number) => folder.put('sets.yaml', sets[number]!.text);
        put(0);
        const settings = temporary();
        closing.push(() => settings.remove());
        const port = await freePort();
        const listen = `127.0.0.1:${port}`;
        settings.put('placet.json', JSON.stringify({ policies: [folder.path], envoy: { listen } }));
        const serving = () => start('--config', join(settings.path, 'placet.json'));
        let placet = await serving();
        closing.push(() => void placet.process.kill('SIGKILL'));

        const nodes = await Promise.all(
          dataplanes.map(async (dataplane): Promise<Node> => {
            return { dataplane, lab: await envoy(port, form, called[dataplane]) };
          }),
        );
        const held = new Held(nodes);
        closing.push(() => held.stop());
        const have = async (number: number) => {
          const since = performance.now();
          await expect.poll(() => held.all(number), { timeout: 30_000, interval: 5 }).toBe(true);
          await traffic?.settled();
          return Math.round(performance.now() - since);
        };
        let traffic: Traffic | undefined;
        await have(0);
        const of = (dataplane: string) => held.sure.get(dataplane) ?? 0;
        traffic = await Traffic.begin(nodes, await homeOf(), sets, of, 5);
        closing.push(() => traffic?.close());
        await traffic.settled();

        const [back, live]: [number[], number[]] = [[], []];
        let requests = 0;
        for (const signal of signals) {
          put(++traffic.given);
          live.push(await have(traffic.given));
          placet.process.kill(signal);
          await placet.ended();
          requests += traffic.counted().requests;
          // Nobody is there to give it out, so nobody may answer by it.
          put(traffic.given + 1);
          await pause(500);
          const alone = traffic.counted();
          requests += alone.requests;
          expect(alone).toMatchObject({ widest: 1, old: 0, new: 0 });
          expect(alone.decisive).toBeGreaterThan(nodes.length);
          traffic.given++;
          placet = await serving();
          back.push(await have(traffic.given));
        }
        put(++traffic.given);
        live.push(await have(traffic.given));
        expect(traffic.given).toBe(setsInAll - 1);
        await traffic.end();
        requests += traffic.counted().requests;
        console.log(`${form}: ${requests} requests; back after ${back} ms, changed after ${live} ms`);
        await expectNoneLost(nodes, traffic, requests);
      },
      180_000,
    );
});
