import { describe, expect, test } from 'vitest';
import { Admission } from '../../../src/gateway/http/admission.ts';
import { bounds } from '../given.ts';
import { openWorld } from '../world.ts';

const policies = 'policies/40-shadow';
const good = { destination: { service: 'shadow/api' } };

describe('too much at once', () => {
  test('[SVC14] at most so many are inside', () => {
    const admission = new Admission({ concurrency: 2, turn: 100 }, () => 0);
    expect([admission.enter(), admission.enter(), admission.enter()]).toEqual([true, true, false]);
    admission.leave();
    expect([admission.enter(), admission.enter()]).toEqual([true, false]);
  });

  test('[SVC14] what comes up late in a turn of the event loop is turned away, until the next', async () => {
    let now = 0;
    const admission = new Admission({ concurrency: 100, turn: 100 }, () => now);
    expect(admission.enter()).toBe(true);
    now = 100;
    expect(admission.enter()).toBe(true);
    now = 101;
    expect([admission.enter(), admission.enter()]).toEqual([false, false]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admission.enter()).toBe(true);
  });

  test('[SVC14] those turned away are told when to come back, and are counted; those who look after it are not', async () => {
    let release: (() => void) | undefined;
    const identify = () =>
      new Promise<never>((_, reject) => {
        release = () => reject(new Error('over'));
      });
    const world = await openWorld(policies, { identify }, { bounds: { ...bounds, concurrency: 1 } });
    const first = world.post('/decide', { ...good, source: { ip: '::1' } });
    await expect.poll(() => release).toBeDefined();
    const { status, headers } = await world.post('/decide', good);
    expect([status, headers.get('retry-after'), world.shed]).toEqual([503, '1', 1]);
    expect((await world.fetch('/live')).status).not.toBe(503);
    release?.();
    expect((await first).status).toBe(500);
    await expect.poll(async () => (await world.post('/decide', good)).status).toBe(200);
    await world.close();
  });
});
