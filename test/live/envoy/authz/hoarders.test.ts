import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkPath } from '../../../../src/envoy/authz/service.ts';
import { frame } from '../../../../src/envoy/grpc/frames.ts';
import { DeltaDiscoveryRequestSchema } from '../../../../src/envoy/proto/generated/envoy/service/discovery/v3/discovery_pb.js';
import { extensionType } from '../../../../src/envoy/xds/resource.ts';
import { mostGrowth, type Opened, open, RawClient } from './raw-client.ts';
import { type Serving, serveShop } from './world.ts';

/** Proxies that make the service keep what they say: each alone is within its bounds, all of it together is not. */

vi.setConfig({ testTimeout: 120_000 });

let placet: Serving;
const client = new RawClient(() => placet);
beforeAll(async () => {
  placet = await serveShop();
});
afterAll(async () => {
  client.close();
  await placet.close();
});

const xds = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
const connections = 4;
/** Of some 1,500 that are sent: what may be kept, as bytes or as what is made of names, beside what others grow by. */
const most = 100 + mostGrowth;
const almost = frame(Buffer.alloc(4_000_000)).subarray(0, 3_900_000);

async function statuses(opened: readonly Opened[], within: number): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { answer } of opened)
    void answer.then(({ status, words }) => {
      const key = `${status} ${words}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    });
  const until = Date.now() + within;
  let [count, since] = [0, Date.now()];
  // Until nothing more is ended for a while.
  while (Date.now() < until && (found.size === 0 || Date.now() - since < 1_500)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = [...found.values()].reduce((sum, one) => sum + one, 0);
    if (now !== count) [count, since] = [now, Date.now()];
  }
  return found;
}

test.each([
  ['calls', checkPath, 100],
  ['streams of xDS', xds, 100],
])(
  '[AUTHZ14] [RPC4] of many %s that are half said as much is kept as there is room for',
  async (_, path, each) => {
    const before = client.resident();
    const opened: Opened[] = [];
    for (let n = 0; n < connections; n++) {
      const session = client.session({ maxSessionMemory: 2_000 });
      for (let k = 0; k < each; k++) {
        const one = open(session, path);
        one.stream.write(almost);
        opened.push(one);
      }
    }
    const found = await statuses(opened, 60_000);
    expect(
      [...found.keys()].filter((key) => !/^(14 too much is being said at once|none )$/.test(key)),
    ).toEqual([]);
    // A connection has room for four of them.
    expect(found.get('14 too much is being said at once')).toBeGreaterThan(connections * (each - 5) * 0.9);
    expect(client.resident() - before).toBeLessThan(most);
    client.close();
  },
);

test('[AUTHZ14] [XDS7] of names that nodes make up as many are kept as there is room for', async () => {
  const before = client.resident();
  const opened: Opened[] = [];
  for (let n = 0; n < connections; n++) {
    const session = client.session({ maxSessionMemory: 2_000 });
    for (let k = 0; k < 50; k++) {
      const one = open(session, xds);
      const request = create(DeltaDiscoveryRequestSchema, {
        node: { id: 'default/web-1', metadata: { much: 'x'.repeat(1_000_000) } },
        typeUrl: extensionType,
        resourceNamesSubscribe: Array.from({ length: 1_000 }, (_, at) => `${n}-${k}-${at}-`.padEnd(512, 'x')),
      });
      one.stream.write(frame(toBinary(DeltaDiscoveryRequestSchema, request)));
      opened.push(one);
    }
  }
  const found = await statuses(opened, 60_000);
  expect([...found]).toEqual([['8 too many names, or too long ones, are wanted at once', connections * 49]]);
  expect(client.resident() - before).toBeLessThan(most);
});
