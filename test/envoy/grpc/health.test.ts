import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/envoy/grpc/call.ts';
import { healthMethods } from '../../../src/envoy/grpc/health.ts';

test('[RPC6] health is told to who asks, and to who watches whenever it changes', async () => {
  let ready = false;
  const { methods, changed } = healthMethods(() => ready);
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
