import { expect } from 'vitest';
import { openSeen } from '../../envoy/xds/seen.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { closing, Desk, envoy, name, policies, serve } from './xds-lab.ts';

live(
  envoyMissing,
  '[XDS10] what an Envoy refuses is seen in its words, as long as it does',
  async () => {
    const desk = new Desk(policies(new Random(1)));
    const service = await serve(desk);
    const seen = await openSeen(service);
    closing.push(() => seen.world.close());
    await envoy(service.port, 'DELTA_GRPC');
    const state = async () => (await seen.first())?.state;
    const numbers = async () => (await seen.metrics()).map((line) => line.slice('placet_xds_'.length));
    await expect.poll(state, { timeout: 20_000 }).toBe('current');
    const before = await seen.first();
    expect(before).toMatchObject({
      id: 'default/web-1',
      dataplane: { mesh: 'default', name: 'web-1' },
      form: 'delta',
      resources: [{ name, refused: false }],
    });
    expect(before?.resources[0]?.taken?.version).toBe(before?.resources[0]?.sent?.version);
    desk.spoil();
    await expect.poll(state, { timeout: 20_000 }).toBe('refused');
    const refusing = await seen.page('?state=refused');
    expect(refusing).toMatchObject({
      total: 1,
      envoys: [
        {
          resources: [{ sent: { version: 'spoilt' }, taken: before?.resources[0]?.taken, refused: true }],
          lastRefusal: { resources: [{ name, version: 'spoilt' }] },
        },
      ],
    });
    const words = refusing.envoys[0]?.lastRefusal?.words;
    expect(service.refused).toEqual([`${name}: ${words}`]);
    expect(words).toMatch(/TypedExtensionConfig/);
    expect(await numbers()).toEqual([
      'nodes{form="state-of-the-world"} 0',
      'nodes{form="delta"} 1',
      'nodes_refusing 1',
      'nodes_outdated 0',
      'refusals_total 1',
      'resources_pushed_total 2',
    ]);
    desk.use(policies(new Random(2)));
    desk.mend();
    await expect.poll(state, { timeout: 20_000 }).toBe('current');
    const after = await seen.first();
    expect(after?.resources[0]).toMatchObject({ sent: { version: after?.resources[0]?.taken?.version } });
    expect(after?.resources[0]?.taken).not.toEqual(before?.resources[0]?.taken);
    expect(after?.lastRefusal?.words).toBe(words);
    expect(await numbers()).toEqual(expect.arrayContaining(['nodes_refusing 0', 'refusals_total 1']));
  },
  120_000,
);
