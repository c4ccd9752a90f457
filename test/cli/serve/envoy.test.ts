import { once } from 'node:events';
import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { configSchema } from '../../../src/cli/serve/config-schema.ts';
import { openEnvoy } from '../../../src/cli/serve/envoy.ts';
import { checkPath } from '../../../src/envoy/authz/service.ts';
import type { Method } from '../../../src/envoy/grpc/call.ts';
import { CheckRequestSchema } from '../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import type { Called, Service } from '../../../src/gateway/service.ts';
import { settings } from '../../gateway/given.ts';
import { snapshotOf } from '../../gateway/world.ts';

const message = toBinary(
  CheckRequestSchema,
  create(CheckRequestSchema, {
    attributes: { contextExtensions: { 'placet.service': 'shadow/api' } },
  }),
);

const talk: Method = {
  streaming: (conversation) => ({
    message: (said) => void conversation.send(said),
    half: () => conversation.end(),
    closed: () => undefined,
  }),
};

test('[CALL1] who asks by gRPC is asked for at each check and on each stream, however long its connection lasts', async () => {
  const { snapshot } = snapshotOf('policies/40-shadow');
  let called: Called = { name: 'proxy', roles: new Set(['decide', 'relay']) };
  const envoy = { listen: '127.0.0.1:0' };
  const config = configSchema.parse({ envoy });
  const seen: (readonly string[])[] = [];
  const service: Service = {
    live: { current: () => snapshot, readiness: () => ({ ready: true, sources: [] }) } as never,
    identify: () => ({ source: {}, conflicts: [], refused: [] }),
    callers: { caller: () => called },
    observer: { decided: ({ caller, channel }) => void seen.push([caller, channel.identity]), shed() {} },
    settings,
  };
  const side = await openEnvoy({
    config,
    envoy: config.envoy as NonNullable<typeof config.envoy>,
    service,
    callersBy: () => service.callers,
    pairs: undefined,
    log: () => undefined,
    discovery: { methods: new Map([['/xds/Talk', talk]]) },
  });
  const client = new Client(side.at, credentials.createInsecure());
  const check = () =>
    new Promise<number>((resolve) => {
      const done = (error: ServiceError | null) => resolve(error?.code ?? 0);
      client.makeUnaryRequest(checkPath, () => Buffer.from(message), String, {}, done);
    });
  expect(await check()).toBe(0);
  const stream = client.makeBidiStreamRequest('/xds/Talk', (text: string) => Buffer.from(text), String);
  const ended = new Promise<number>((resolve) =>
    stream.on('error', ({ code }: ServiceError) => resolve(code)),
  );
  stream.write('here');
  expect(String(await once(stream, 'data'))).toBe('here');
  called = { name: 'proxy', roles: new Set(['decide']) };
  expect(await check()).toBe(0);
  expect(seen).toEqual([
    ['proxy', 'attested'],
    ['proxy', 'asserted'],
  ]);
  called = { unproved: 'the client certificate is refused (expired)' };
  expect(await check()).toBe(16);
  stream.write('and still here');
  expect(await ended).toBe(16);
  called = { name: 'proxy', roles: new Set() };
  expect(await check()).toBe(7);
  client.close();
  side.close();
});
