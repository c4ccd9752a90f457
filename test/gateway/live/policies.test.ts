import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotNow } from '../../../src/gateway/live/not-now.ts';
import { RefusedPolicies } from '../../../src/gateway/live/policies.ts';
import { operatorChannel } from '../../../src/pdp/model/request.ts';
import { readPaths } from '../../../src/policy/files.ts';
import { policy, request } from './documents.ts';
import { type Folder, type Opened, open, temporary } from './opening.ts';

let folder: Folder;
let opened: Opened | undefined;
beforeEach(() => {
  folder = temporary();
});
afterEach(async () => {
  await opened?.live.close();
  opened = undefined;
  folder.remove();
});

const decide = () => opened!.live.current()!.decide(request, operatorChannel);

describe('policies that are followed', () => {
  test('[LIVE1] [LIVE2] every decision is that of one whole set, of the one before or the one after', async () => {
    // In each set both files say the same; a mixture would allow by the one what the other denies.
    folder.put('a.yaml', policy('a', 'allow'));
    opened = await open(folder.path, { quiet: 1 });
    const seen = new Map<string, Set<string>>();
    let over = false;
    let decisions = 0;
    const load = (): void => {
      for (let i = 0; i < 50; i++) {
        const { snapshot, decision, by } = decide();
        const verdicts = seen.get(snapshot) ?? new Set();
        seen.set(snapshot, verdicts.add(`${decision} ${by?.policy} ${by?.effect}`));
        decisions++;
      }
      if (!over) setImmediate(load);
    };
    load();
    for (let i = 0; i < 30; i++) {
      const action = i % 2 === 0 ? 'deny' : 'allow';
      const reload = opened.reload();
      if (i % 3 === 0) writeFileSync(join(folder.path, 'a.yaml'), policy('a', action));
      else folder.put('a.yaml', policy('a', action));
      await reload;
      while (decide().decision !== action) await opened.reload();
    }
    over = true;
    expect([...seen.values()].map((verdicts) => [...verdicts]).sort()).toEqual([
      ['allow a allow'],
      ['deny a deny'],
    ]);
    expect(decisions).toBeGreaterThan(1_000);
  });

  test('[LIVE1] the place of the deciding rule is where the document has it, and goes with the document', async () => {
    folder.put('b.yaml', `${policy('other', 'deny', 'elsewhere')}---\n${policy('a')}`);
    opened = await open(folder.path, { quiet: 1 });
    const place = () => opened!.live.current()!.placeOf(decide().by!);
    const written = () => readPaths([folder.path]).documents[1]!.place(['spec', 'from', 0]);
    expect(place()).toEqual(expect.objectContaining({ file: join(folder.path, 'b.yaml'), line: 14 }));
    expect(place()?.line).toBe(written()?.line);
    const before = opened.live.current()!;
    folder.put('b.yaml', `# moved\n\n${policy('other', 'deny', 'elsewhere')}---\n${policy('a')}`);
    await opened.reload();
    const after = opened.live.current()!;
    expect([after.name, after.since, place()?.line]).toEqual([before.name, before.since, 16]);
    expect(after.placeOf({ ...decide().by!, index: 7 })).toBeUndefined();
  });

  test('[LIVE3] [LIVE4] a broken file and a duplicate are told of, in words, in numbers and where they are', async () => {
    folder.put('a.yaml', policy('a'));
    opened = await open(folder.path, { quiet: 1 });
    const name = opened.live.current()!.name;
    folder.put('b.yaml', policy('b', 'forbid'));
    expect(await opened.reload()).toEqual(
      expect.objectContaining({ outcome: 'partly', snapshot: name, problems: 1 }),
    );
    const [problem] = opened.live.overview().problems;
    expect(problem?.place).toEqual({ file: join(folder.path, 'b.yaml'), line: 5, column: 11 });
    expect(opened.lines).toEqual([
      expect.stringMatching(/b\.yaml:5:11: spec\.action: got "forbid"/),
      `the policies are those of snapshot ${name} now, with the last good version of what is broken`,
    ]);
    expect(opened.live.readiness().ready).toBe(true);
    folder.put('b.yaml', policy('a', 'deny'));
    expect(await opened.reload()).toEqual(
      expect.objectContaining({ outcome: 'held', snapshot: name, problems: 1 }),
    );
    expect([decide().decision, opened.lines.at(-1)]).toEqual([
      'allow',
      `the policies stay those of snapshot ${name}`,
    ]);
  });

  test('[LIVE7] with anything wrong at the beginning it does not open, and says all of it', async () => {
    folder.put('a.yaml', policy('a', 'forbid'));
    folder.put('b.yaml', 'type: [');
    const refused = await open(folder.path).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedPolicies);
    expect((refused as RefusedPolicies).violations).toHaveLength(2);
  });

  test('[LIVE8] an explanation is by the set that decided, as long as it is one of the last two', async () => {
    folder.put('a.yaml', policy('a'));
    opened = await open(folder.path, { quiet: 1 });
    const { live } = opened;
    const names = [live.current()!.name];
    for (const action of ['deny', 'allowWithShadowDeny']) {
      folder.put('a.yaml', policy('a', action));
      await opened.reload();
      names.push(live.current()!.name);
    }
    const asked = names.map(async (name) => (await live.explain(request, operatorChannel, name)).decision);
    const [gone, before, now] = await Promise.all(asked);
    expect([before?.snapshot, before?.decision]).toEqual([names[1], 'deny']);
    expect([now?.snapshot, now?.shadow]).toEqual([names[2], 'deny']);
    expect(gone?.snapshot).toBe(names[2]);
  });

  test('[LIVE9] a thread that ends is started again, and meanwhile what was loaded decides', async () => {
    folder.put('a.yaml', policy('a'));
    opened = await open(folder.path, { quiet: 1 });
    // Before it is asked, so that it cannot answer any more; that it ended is known only later.
    const ended = opened.threads[0]!.terminate();
    const asked = opened.live.ask({ about: 'policy', kri: 'x' });
    const refused = expect(asked).rejects.toThrow(NotNow);
    const again = opened.reload();
    await ended;
    await refused;
    expect(decide().decision).toBe('allow');
    await expect(opened.live.ask({ about: 'policy', kri: 'x' })).rejects.toThrow(
      new NotNow('the policies are being loaded again'),
    );
    await again;
    expect(opened.threads).toHaveLength(2);
    expect(await opened.live.ask({ about: 'policy', kri: 'x' })).toEqual(
      expect.objectContaining({ found: false }),
    );
    folder.put('a.yaml', policy('a', 'deny'));
    await opened.reload();
    expect(decide().decision).toBe('deny');
  });

  test('[LIVE9] one that comes back to broken policies takes nothing away', async () => {
    folder.put('a.yaml', policy('a'));
    opened = await open(folder.path, { quiet: 60_000 });
    const { live } = opened;
    folder.put('a.yaml', policy('a', 'forbid'));
    await opened.threads[0]!.terminate();
    while (live.overview().problems.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect([decide().decision, live.overview().problems.length]).toEqual(['allow', 1]);
    await expect(live.ask({ about: 'policy', kri: 'x' })).rejects.toThrow(new NotNow('nothing was read yet'));
    await expect(live.aside('x')).rejects.toThrow(NotNow);
  });

  test('[LIVE10] is ready while everything is fresh, and never again once it is to end', async () => {
    folder.put('a.yaml', policy('a'));
    let now = 0;
    let other = { name: 'cluster pods', synced: true, fresh: true, problems: [] as string[] };
    opened = await open(
      folder.path,
      { rescan: 1e6, beat: 1e6 },
      { maxStaleness: 60_000, now: () => now, others: () => [other] },
    );
    const { live } = opened;
    expect([live.readiness().ready, live.stale()]).toEqual([true, false]);
    other = { ...other, fresh: false };
    expect([live.readiness().ready, live.stale()]).toEqual([false, false]);
    other = { ...other, fresh: true };
    now = 61_000;
    expect([live.readiness().ready, live.stale()]).toEqual([false, true]);
    now = 0;
    live.drain();
    expect(live.readiness()).toEqual(expect.objectContaining({ ready: false, draining: true }));
  });
});
