import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/envoy/grpc/call.ts';
import { GrpcError } from '../../../src/envoy/grpc/status.ts';
import { healthMethods } from '../../../src/envoy/health/service.ts';

test('[RPC6] health is told to who asks, and to who watches whenever it changes', async () => {
  let ready = false;
  const { methods, changed } = healthMethods(() => ready, ['/a.B/C']);
  const check = methods.get('/grpc.health.v1.Health/Check');
  const watch = methods.get('/grpc.health.v1.Health/Watch');
  if (!check || !('unary' in check) || !watch || !('streaming' in watch)) throw new Error('no methods');
  const asked = async () => [...(await check.unary(Buffer.alloc(0), {} as never))];
  expect(await asked()).toEqual([8, 2]);
  const sent: number[][] = [];
  const listener = watch.streaming({
    send: (message: Uint8Array) => {
      sent.push([...message]);
      return true;
    },
  } as unknown as Conversation);
  listener.message(Buffer.alloc(0));
  changed();
  ready = true;
  changed();
  listener.half();
  ready = false;
  changed();
  listener.closed();
  ready = true;
  changed();
  expect(sent).toEqual([
    [8, 2],
    [8, 1],
    [8, 2],
  ]);
  expect(await asked()).toEqual([8, 1]);
});

test('[RPC6] a service that is there does as well as the whole; another name is unknown, whatever changes', () => {
  let ready = true;
  const { methods, changed } = healthMethods(() => ready, ['/a.B/C', '/a.B/D']);
  const check = methods.get('/grpc.health.v1.Health/Check');
  const watch = methods.get('/grpc.health.v1.Health/Watch');
  if (!check || !('unary' in check) || !watch || !('streaming' in watch)) throw new Error('no methods');
  const asked = (name: string) => [...(check.unary(asking(name), {} as never) as Uint8Array)];
  for (const name of ['', 'a.B', 'grpc.health.v1.Health']) expect(asked(name)).toEqual([8, 1]);
  for (const name of ['a.B/C', 'a', 'a.b', '/a.B'])
    expect(() => asked(name)).toThrow(expect.objectContaining({ status: 5 }));
  expect(() => check.unary(Buffer.from([0x0a, 9]), {} as never)).toThrow(GrpcError);
  const sent: number[][] = [];
  const send = (message: Uint8Array) => sent.push([...message]) > 0;
  const listener = watch.streaming({ send } as unknown as Conversation);
  listener.message(asking('a'));
  expect(() => listener.message(asking('a'))).toThrow('got two messages, want one');
  ready = false;
  changed();
  expect(sent).toEqual([[8, 3]]);
});

const asking = (name: string) => Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name)]);
