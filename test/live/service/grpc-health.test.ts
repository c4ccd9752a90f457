import type { Client } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Serving, serveShop } from '../envoy/authz/world.ts';
import { call, clientOf, healthOf, healthPath, watch } from './grpc.ts';

/** `grpc.health.v1` as the client of grpc-js asks `placet serve` for it over the wire. */

let placet: Serving;
let client: Client;
beforeAll(async () => {
  placet = await serveShop({}, { log: { to: 'none' } });
  client = clientOf(placet.port);
});
afterAll(async () => {
  client.close();
  await placet.close();
});

const services = [
  '',
  'grpc.health.v1.Health',
  'envoy.service.auth.v3.Authorization',
  'envoy.service.discovery.v3.AggregatedDiscoveryService',
];

describe('health over the wire', () => {
  test('[RPC6] the server and each of its services serve; another name is not found', async () => {
    for (const name of services) {
      const { code, bytes } = await call(client, `${healthPath}/Check`, healthOf(name));
      expect([name, code, [...bytes]]).toEqual([name, 0, [8, 1]]);
    }
    for (const name of [
      'no.such.Service',
      'envoy.service.auth.v3',
      'envoy.service.auth.v3.Authorization/Check',
    ])
      expect(await call(client, `${healthPath}/Check`, healthOf(name))).toMatchObject({
        code: 5,
        details: 'there is no service of this name',
      });
    expect(await call(client, `${healthPath}/Check`, Buffer.from([0x0a, 0xff, 0x01]))).toMatchObject({
      code: 3,
    });
    expect(await call(client, `${healthPath}/Nothing`, Buffer.alloc(0))).toMatchObject({ code: 12 });
  });

  test('[RPC6] who watches hears it, and that a name is unknown, and that it ends', async () => {
    const all = [...services, 'no.such.Service'].map((name) => ({ name, ...watch(client, name) }));
    const told = () => all.map(({ states }) => states[0]?.[1]);
    await expect.poll(told, { timeout: 20_000 }).toEqual([...services.map(() => 1), 3]);
    expect(await placet.end('SIGTERM')).toBe(0);
    expect(await Promise.all(all.map(({ ended }) => ended))).not.toContain(0);
    const wanted = (name: string) =>
      services.includes(name)
        ? [
            [8, 1],
            [8, 2],
          ]
        : [[8, 3]];
    for (const { name, states } of all) expect([name, states]).toEqual([name, wanted(name)]);
  });
});
