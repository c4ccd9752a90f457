import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { binaryOf } from '../../../src/envoy/proto/binary.ts';
import type { Both } from '../../envoy/export/world.ts';
import * as build from '../../envoy/interpreter/build.ts';
import { usesOf } from '../../envoy/xds/talk.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { changes, expectSound, run, setsInAll } from './changing/course.ts';
import { serveFiles } from './changing/service.ts';
import { mesh, type PolicySet, setsOf } from './changing/sets.ts';
import { Traffic } from './changing/traffic.ts';
import {
  allowed,
  closing,
  codes,
  Desk,
  envoy,
  homeOf,
  name,
  names,
  policies,
  serve,
  unreadable,
} from './xds-lab.ts';

/** Filters that a real Envoy gets over xDS. */

type Json = Readonly<Record<string, unknown>>;
const dataplanes = ['web-1', 'web-2', 'web-3'];
const ecds = '/stats?filter=extension_config_discovery';
let sets: readonly PolicySet[] | undefined;
/** Made once, and only where there is an Envoy. */
function changing(): readonly PolicySet[] {
  sets ??= setsOf(30, setsInAll, dataplanes);
  return sets;
}

/** Messages that hold together, and would let everybody in; short, since Envoy writes them out before it says why. */
const lettingIn = (matcher: Json) => {
  const { typed_config } = build.http({ matcher });
  return binaryOf('envoy.config.core.v3.TypedExtensionConfig', { name, typed_config });
};
const everybody = build.action('everybody', 'ALLOW');
const noPattern = build.single(build.uri, { safe_regex: { google_re2: {}, regex: '(' } });
/** Where a resource is refused, and why (FACT11). */
const refused: Readonly<Record<string, readonly [bytes: Uint8Array, words: RegExp]>> = {
  'no message': [unreadable, /TypedExtensionConfig/],
  'an empty list': [lettingIn(build.list([], everybody)), /constraint validation failed .*at least 1 item/],
  'an empty prefix': [
    lettingIn(build.list([[build.single(build.uri, { prefix: '' }), everybody]])),
    /Proto constraint validation failed/,
  ],
  'an action without a name': [
    lettingIn({ on_no_match: build.action('', 'ALLOW') }),
    /constraint validation failed .*at least 1 char/,
  ],
  'no regular expression': [lettingIn(build.list([[noPattern, everybody]], everybody)), /missing \)/],
};

describe('xDS and a real Envoy', () => {
  for (const form of ['GRPC', 'DELTA_GRPC'] as const)
    live(
      envoyMissing,
      `[XDS8] 1,000 changes of a file under traffic by ${form}: old or new verdicts at three nodes, no connection lost, the last within a second`,
      async () => {
        const sets = changing();
        const service = await serveFiles(sets[0]!);
        const nodes = await Promise.all(
          dataplanes.map(async (dataplane) => {
            return { dataplane, lab: await envoy(service.port, form, `${mesh}/${dataplane}`) };
          }),
        );
        const taken = (number: number) => dataplanes.every((each) => service.taken(each) === number);
        await expect.poll(() => taken(0), { timeout: 20_000 }).toBe(true);
        const streams = () => service.nodes().map(({ number }) => number);
        const before = streams();
        const traffic = await Traffic.begin(nodes, await homeOf(), sets, service.taken, 8);
        closing.push(() => traffic.close());
        const given = { nodes, sets, traffic, put: service.put, taken };
        let sent = 0;
        const course = await run(given, () => {
          sent = service.totals.sent;
        });
        await expectSound(given, course);
        expect([service.refused, service.problems()]).toEqual([[], []]);
        // Every one of the sets went to every node, once, over the stream that it began with.
        expect(sent).toBe((1 + changes) * nodes.length);
        expect(streams()).toEqual(before);
        for (const { lab } of nodes)
          expect(Number(/config_reload: (\d+)/.exec(await lab.envoy.admin(ecds))?.[1])).toBeGreaterThan(
            changes,
          );
      },
      300_000,
    );

  live(
    envoyMissing,
    '[XDS8] what an Envoy cannot use, or what breaks a constraint of its, is refused in its words; the one before stays',
    async () => {
      const random = new Random(2);
      const [set, next] = [policies(random), policies(random)];
      expect(allowed(next)).not.toEqual(allowed(set));
      const desk = new Desk(set);
      const service = await serve(desk);
      const lab = await envoy(service.port, 'GRPC');
      const uses = () => usesOf(service.nodes()[0]).get(name);
      await expect.poll(uses, { timeout: 20_000 }).toBeDefined();
      const before = uses();
      const lets = async (by: Both) => {
        const verdicts = allowed(by);
        for (const one of names) expect(await codes(lab, one, 1)).toEqual([verdicts.get(one) ? 200 : 403]);
      };
      for (const [at, [what, [bytes, words]]] of Object.entries(refused).entries()) {
        desk.spoil(bytes, what);
        await expect.poll(() => service.refused.length, { timeout: 20_000 }).toBe(at + 1);
        expect(service.refused[at]).toMatch(/^placet\/http\/http\/0: .{10}/);
        expect(service.refused[at]).toMatch(words);
        expect(uses()).toBe(before);
        await lets(set);
      }
      desk.use(next);
      desk.mend();
      await expect.poll(uses, { timeout: 20_000 }).not.toBe(before);
      await lets(next);
    },
    120_000,
  );

  live(
    envoyMissing,
    '[XDS2] [XDS8] a dataplane that nobody knows lets nobody in, from the first request on',
    async () => {
      const service = await serve(new Desk(policies(new Random(1))));
      const lab = await envoy(service.port, 'GRPC', 'default/nobody');
      await expect.poll(() => usesOf(service.nodes()[0]).size, { timeout: 20_000 }).toBe(1);
      expect(await codes(lab, 'always', 2)).toEqual([403, 403]);
    },
    120_000,
  );

  live(
    envoyMissing,
    '[XDS8] without Placet an Envoy goes on deciding, and hears again what changed when it is back',
    async () => {
      const random = new Random(2);
      const [old, next] = [policies(random), policies(random)];
      const service = await serve(new Desk(old));
      const lab = await envoy(service.port, 'DELTA_GRPC');
      await expect.poll(() => usesOf(service.nodes()[0]).size, { timeout: 20_000 }).toBe(1);
      const closed = once(service.server, 'close');
      (service as unknown as { stop(): void }).stop();
      await closed;
      expect(await codes(lab, 'always', 2)).toEqual([200, 200]);
      const again = await serve(new Desk(next), service.port);
      await expect.poll(() => usesOf(again.nodes()[0]).size, { timeout: 30_000 }).toBe(1);
      const verdicts = allowed(next);
      for (const one of names) expect(await codes(lab, one, 1)).toEqual([verdicts.get(one) ? 200 : 403]);
    },
    120_000,
  );
});
