import { expect, test } from 'vitest';
import type { Answered, Ask } from '../../../src/gateway/decide/ask.ts';
import { batch } from '../../../src/gateway/decide/batch.ts';
import type { Caller, Service, Snapshot } from '../../../src/gateway/service.ts';
import { channelOf } from '../../../src/pdp/model/request.ts';
import { snapshotOf } from '../world.ts';

const caller: Caller = { name: 'test', roles: new Set(['decide']) };
const channel = channelOf('decide');
const requests = Array.from({ length: 100 }, () => ({ destination: { service: 'a/b' } }));

/** One answer takes so many milliseconds of a clock of its own. */
function slow(milliseconds: number, later: boolean) {
  const { snapshot } = snapshotOf('policies/40-shadow');
  let [clock, current]: [number, Snapshot] = [0, snapshot];
  const asked: { readonly turn: number; readonly snapshot: Snapshot | undefined }[] = [];
  let turn = 0;
  const ask: Ask = (body, _caller, _via, known) => {
    clock += milliseconds;
    asked.push({ turn, snapshot: known?.snapshot });
    const answered: Answered = {
      id: String(asked.length),
      decision: snapshot.decide(body, channel),
      snapshot,
      request: body as Answered['request'],
      channel,
      ttl: 0,
      refused: [],
      unasked: false,
    };
    return later ? Promise.resolve(answered) : answered;
  };
  let over = false;
  const others = () => {
    turn++;
    current = { ...snapshot, name: `of turn ${turn}` };
    if (!over) setImmediate(others);
  };
  setImmediate(others);
  const end = () => {
    over = true;
  };
  const live = { current: () => current } as Service['live'];
  return { asked, answer: batch(live, ask, () => clock).answer, end };
}

test.each([false, true])(
  '[SVC8] a batch that takes long lets others have their turn, and is decided by one set (later: %s)',
  async (later) => {
    const { asked, answer, end } = slow(5, later);
    const text = await answer({ requests }, caller);
    end();
    const ids = (JSON.parse(text) as { decisions: { decisionId: string }[] }).decisions.map(
      ({ decisionId }) => Number(decisionId),
    );
    expect(ids).toEqual(requests.map((_, i) => i + 1));
    const turns = Map.groupBy(asked, ({ turn }) => turn);
    expect(turns.size).toBeGreaterThan(10);
    expect(Math.max(...[...turns.values()].map((all) => all.length))).toBeLessThanOrEqual(8);
    expect(new Set(asked.map(({ snapshot }) => snapshot)).size).toBe(1);
  },
);

test('[SVC8] one that takes no time is answered at once', () => {
  const { answer, end } = slow(0, false);
  end();
  expect(typeof answer({ requests }, caller)).toBe('string');
});
