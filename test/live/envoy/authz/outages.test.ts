import { once } from 'node:events';
import { connect } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterEach, describe, expect } from 'vitest';
import { checkPath } from '../../../../src/envoy/authz/service.ts';
import { frame } from '../../../../src/envoy/grpc/frames.ts';
import { CheckRequestSchema } from '../../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import { live } from '../../../live.ts';
import { extensionsOf } from '../../../support/envoy/extensions.ts';
import { askHttp } from '../../../support/envoy/http-client.ts';
import { type Lab, openLab } from '../../../support/envoy/lab.ts';
import { grpcCluster, type ListenerSpec, socketOf } from '../../../support/envoy/listeners.ts';
import { envoyMissing } from '../../../support/envoy/program.ts';
import { spiffeBundles } from '../../../support/envoy/trust.ts';
import { asking, certificateFor, friend, type Serving, serveShop, stranger, td, web } from './world.ts';

/** An Envoy whose service is away, late, killed, back, or has too much to do: it denies, and nothing else. */

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(
  timeout: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ lab: Lab; placet: Serving }> {
  const placet = await serveShop({}, more);
  closing.push(() => placet.close());
  const spec: ListenerSpec = {
    name: 'web',
    kind: 'http',
    filters: [asking({}, timeout)],
    trust: spiffeBundles(await td()),
  };
  const lab = await openLab([spec], { clusters: [grpcCluster('placet', placet.port)] });
  closing.push(() => lab.stop());
  return { lab, placet };
}

async function codes(lab: Lab, id: string, count: number): Promise<readonly number[]> {
  const certificate = await certificateFor(id);
  const probes = Array.from({ length: count }, (_, n) => ({ id: `${n}` }));
  const found = await askHttp({ path: socketOf(lab.envoy.folder, 0) }, { certificate }, probes);
  return found ?? [];
}

/** Asks until it is let in again: when Envoy connects again is Envoy's business. */
async function back(lab: Lab): Promise<void> {
  await expect.poll(async () => (await codes(lab, friend, 1))[0], { timeout: 30_000 }).toBe(200);
}

const times = (count: number, code: number) => Array(count).fill(code) as number[];

async function statOf(lab: Lab, name: string): Promise<number> {
  const text = await lab.envoy.admin(`/stats?filter=${name}`);
  return [...text.matchAll(/: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Clients that ask one thing after another until they are told to stop. */
function keepAsking(lab: Lab, id: string, clients: number) {
  const seen = new Map<number, number>();
  let over = false;
  const all = Array.from({ length: clients }, async () => {
    while (!over)
      for (const code of await codes(lab, id, 5)) {
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }
  });
  return {
    seen,
    async stop() {
      over = true;
      await Promise.all(all);
    },
  };
}

describe('ext_authz and outages', () => {
  live(envoyMissing, '[AUTHZ8] a service that is down denies, and allows again when it is back', async () => {
    const { lab, placet } = await open('2s');
    expect(await codes(lab, friend, 5)).toEqual(times(5, 200));
    await placet.end('SIGTERM');
    expect(await codes(lab, friend, 20)).toEqual(times(20, 403));
    expect(await statOf(lab, 'ext_authz.error')).toBe(20);
    await placet.begin();
    await back(lab);
    expect(await codes(lab, stranger, 5)).toEqual(times(5, 403));
  });

  live(envoyMissing, '[AUTHZ8] one that is slower than the deadline denies, and allows again', async () => {
    const { lab, placet } = await open('0.2s');
    expect(await codes(lab, friend, 5)).toEqual(times(5, 200));
    process.kill(placet.pid(), 'SIGSTOP');
    expect(await codes(lab, friend, 5)).toEqual(times(5, 403));
    expect(await statOf(lab, 'cluster.placet.upstream_rq_timeout')).toBe(5);
    process.kill(placet.pid(), 'SIGCONT');
    await back(lab);
  });

  live(
    envoyMissing,
    '[AUTHZ8] one that is killed under load, again and again, lets in nobody whom it would not',
    async () => {
      const { lab, placet } = await open('2s');
      const [good, bad] = [keepAsking(lab, friend, 4), keepAsking(lab, stranger, 4)];
      for (let round = 0; round < 3; round++) {
        const before = good.seen.get(200) ?? 0;
        await expect.poll(() => good.seen.get(200) ?? 0, { timeout: 30_000 }).toBeGreaterThan(before + 50);
        await placet.end('SIGKILL');
        expect(await codes(lab, friend, 10)).toEqual(times(10, 403));
        await placet.begin();
      }
      await back(lab);
      await Promise.all([good.stop(), bad.stop()]);
      expect([...good.seen.keys()].sort()).toEqual([200, 403]);
      expect([...bad.seen.keys()]).toEqual([403]);
    },
  );

  live(
    envoyMissing,
    '[AUTHZ8] overload is shed with UNAVAILABLE; what is answered is right, and then all is as before',
    async () => {
      const { lab, placet } = await open('10s', { limits: { concurrency: 20 } });
      const flood = await flooding(placet.port, 4, 500);
      const through = await codes(lab, stranger, 10);
      const found = await flood;
      expect(through).toEqual(times(10, 403));
      expect([...found.keys()].sort()).toEqual(['0', '14']);
      expect((found.get('0') ?? 0) + (found.get('14') ?? 0)).toBe(2_000);
      // Of 500 calls that come at once on a connection no more are taken than may be under way.
      expect(found.get('14')).toBeGreaterThan(1_000);
      const metrics = await (await fetch(`http://127.0.0.1:${placet.httpPort()}/metrics`)).text();
      const shed = Number(/^placet_\w*shed\w* (\d+)/m.exec(metrics)?.[1]);
      expect(shed).toBeGreaterThanOrEqual(found.get('14') ?? 0);
      expect(await codes(lab, friend, 20)).toEqual(times(20, 200));
    },
  );
});

/** So many calls at once over each of so many connections; how many got which status. */
async function flooding(port: number, connections: number, calls: number): Promise<Map<string, number>> {
  const contextExtensions = extensionsOf(web);
  const message = frame(
    toBinary(CheckRequestSchema, create(CheckRequestSchema, { attributes: { contextExtensions } })),
  );
  const found = new Map<string, number>();
  const head = { ':method': 'POST', ':path': checkPath, 'content-type': 'application/grpc', te: 'trailers' };
  const one = async () => {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    await once(session, 'remoteSettings');
    const all = Array.from({ length: calls }, () => {
      const stream = session.request(head);
      let status = 'none';
      for (const event of ['response', 'trailers'] as const)
        stream.on(event, (headers) => {
          status = String(headers['grpc-status'] ?? status);
        });
      stream.on('error', () => undefined);
      stream.resume();
      stream.end(message);
      return once(stream, 'close').then(() => found.set(status, (found.get(status) ?? 0) + 1));
    });
    await Promise.all(all);
    session.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return found;
}
