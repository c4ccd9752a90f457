import { afterEach, beforeEach, expect, test } from 'vitest';
import { policy } from './documents.ts';
import { type Folder, type Opened, open, temporary } from './opening.ts';

let folder: Folder;
let opened: Opened;
beforeEach(() => {
  folder = temporary();
});
afterEach(async () => {
  await opened.live.close();
  folder.remove();
});

test('[KSRV1] [LIVE3] a policy whose file is broken says what is wrong there, until it is mended', async () => {
  folder.put('a.yaml', policy('a'));
  folder.put('b.yaml', policy('b'));
  opened = await open(folder.path, { quiet: 1 });
  const told = async () => {
    const asked = await opened.live.ask({ about: 'policies', where: {}, from: 0, most: 10 });
    const { policies } = (asked as unknown as { value: { policies: { kri: string; statuses: object[] }[] } })
      .value;
    return policies.map(({ kri, statuses }) => [kri, statuses]);
  };
  const well = await told();
  folder.put('a.yaml', policy('a', 'forbid'));
  await opened.reload();
  const [[, statuses], other] = (await told()) as [[string, object[]], unknown];
  expect(other).toEqual(well[1]);
  expect(statuses[0]).toMatchObject({
    severity: 'error',
    field: 'spec.action',
    message: expect.stringContaining('got "forbid"'),
    place: { file: `${folder.path}/a.yaml`, line: 5 },
  });
  folder.put('a.yaml', policy('a'));
  await opened.reload();
  expect(await told()).toEqual(well);
});
