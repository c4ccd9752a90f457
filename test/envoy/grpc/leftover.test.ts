import { expect, test } from 'vitest';
import type { Call } from '../../../src/envoy/grpc/call.ts';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { gc } from '../../soak/gc.ts';
import { raw, say, start } from './echo.ts';

test('[RPC8] nothing of a call is kept when it is over, however long its stream is', async () => {
  const calls: Call[] = [];
  const made: WeakRef<object>[] = [];
  const port = await start({
    unary: (message, call) => {
      const answer = Buffer.from(`got ${message.toString()}`);
      calls.push(call);
      made.push(new WeakRef(message), new WeakRef(answer), new WeakRef(call.headers));
      return answer;
    },
  });
  const session = raw(port);
  for (let i = 0; i < 10; i++) expect((await say(session, [frame(Buffer.from(`${i}`))])).status).toBe('0');
  await new Promise((resolve) => setTimeout(resolve, 10));
  gc();
  expect(calls.every(({ headers }) => Object.keys(headers).length === 0)).toBe(true);
  expect(made.filter((one) => one.deref() !== undefined)).toEqual([]);
});
