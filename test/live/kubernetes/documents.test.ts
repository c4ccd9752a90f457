import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { formatViolation } from '../../../src/pdp/model/violation.ts';
import type { Document } from '../../../src/policy/document.ts';
import { readPaths, shippedKinds } from '../../../src/policy/files.ts';
import { load } from '../../../src/policy/load.ts';
import { live } from '../../live.ts';
import { digest } from '../../policy/loading.ts';
import { conditionsText } from '../../policy/rule-text.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import {
  type Account,
  check,
  clusterLinks,
  type Followed,
  openAccount,
  patient,
  whys,
  within,
} from './account.ts';
import {
  definitionsPath,
  eventually,
  install,
  type Placed,
  pathOf,
  placed,
  put,
  remove,
  store,
} from './resources.ts';

/** Policies as objects of a real API server, followed with the permissions of deploy/rbac.yaml and no others. */

const missing = programsMissing([etcd, kubeApiserver]);
let account: Account;
let cluster: Account['cluster'];
const follow = (lookAgain?: number) => account.follow(lookAgain);

beforeAll(async () => {
  if (missing !== undefined) return;
  account = await openAccount();
  cluster = account.cluster;
});
afterEach(async () => {
  account?.leave();
  for (const one of stored) await remove(cluster.api, one).catch(() => undefined);
  stored.clear();
});
afterAll(() => account?.stop());

const filesOf = ({ source }: Pick<Followed, 'source'>) => source.documents().map(({ file }) => file);
const access = (name: string, action: string, key = 'k8s:ns') => ({
  type: 'AccessPolicy',
  name,
  namespace: 'shop',
  spec: {
    action,
    from: [{ workloadSelector: { matchLabels: { [key]: 'web' } } }],
    to: [{ workloadSelector: {} }],
  },
});
/** Stored until the test is over. */
const stored = new Set<Placed>();
const add = async (value: unknown) => {
  const one = placed(value) as Placed;
  stored.add(one);
  await store(cluster.api, one);
  return one;
};

/** The sets of `policies` are several, each with its own of some names; and Sites of several sets are no set. */
function once(documents: readonly Document[]): readonly Document[] {
  const seen = new Set<string>();
  return documents.filter(({ file = '', value }) => {
    const one = placed(value);
    if (one === undefined || (one.resource.kind === 'Site' && !file.includes('20-attributes'))) return false;
    const name = pathOf(one.resource, one.namespace, one.name);
    return !seen.has(name) && seen.add(name);
  });
}

describe('[KRES1] policies of a cluster', () => {
  live(missing, '[KRES1] decide as those of files do, each with itself as its place', async () => {
    const files = once(readPaths(['policies']).documents);
    for (const { value } of files) await add(value);
    const followed = await follow();
    await expect.poll(() => followed.source.synced, within).toBe(true);
    const documents = followed.source.documents();
    const fromCluster = load(documents, digest, shippedKinds);
    const fromFiles = load(files, digest, shippedKinds);
    expect(fromCluster.violations.map(formatViolation)).toEqual([]);
    const conditionsOf = ({ rules }: typeof fromFiles) =>
      rules.map((rule) => `${rule.tier} ${conditionsText(rule).join(', ')}`).sort();
    expect(conditionsOf(fromFiles).length).toBeGreaterThan(10);
    expect(conditionsOf(fromCluster)).toEqual(conditionsOf(fromFiles));
    expect(fromCluster.inventory.site).toEqual(fromFiles.inventory.site);
    expect(documents.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'Site/paris',
        'Service/default/kubernetes',
        'Service.placet.dev/customers/records',
      ]),
    );
  });

  live(missing, '[KRES1] are loaded together with those of folders, and told apart', async () => {
    await add(access('a', 'allow'));
    const followed = await follow();
    await expect.poll(() => filesOf(followed), within).toContain('AccessPolicy/shop/a');
    const place = () => ({ file: 'a.yaml', line: 1, column: 1 });
    const ofFolder: Document = { value: access('a', 'deny'), file: 'a.yaml', place };
    expect(check([ofFolder, ...followed.source.documents()]).map(formatViolation)).toEqual([
      'AccessPolicy/shop/a: (root): got a second AccessPolicy "a" in the namespace "shop", the first is at a.yaml:1:1',
    ]);
  });

  live(missing, '[KRES3] a mistake is told, with its place, and changes nothing', async () => {
    const followed = await follow();
    await add(access('a', 'deny'));
    await expect.poll(() => followed.source.synced, within).toBe(true);
    await expect.poll(() => filesOf(followed), within).toContain('AccessPolicy/shop/a');
    const snapshot = () => load(followed.source.documents(), digest, shippedKinds).snapshot;
    const before = snapshot();
    await put(cluster.api, placed(access('a', 'deny', 'k8s ns'))!);
    await expect.poll(() => followed.source.status.broken.length, within).toBe(1);
    const [broken] = followed.source.status.broken;
    expect(broken).toMatchObject({ name: 'AccessPolicy/shop/a', stands: 'last good' });
    expect(broken?.violations.map(formatViolation)).toEqual([
      'AccessPolicy/shop/a: spec.from[0].workloadSelector.matchLabels["k8s ns"]: got "k8s ns", want an attribute key without spaces and control characters',
    ]);
    expect(snapshot()).toBe(before);
    await put(cluster.api, placed(access('a', 'allow'))!);
    await expect.poll(() => followed.source.status.broken.length, within).toBe(0);
    expect(snapshot()).not.toBe(before);
    await remove(cluster.api, placed(access('a', 'deny'))!);
    await expect.poll(() => filesOf(followed), within).not.toContain('AccessPolicy/shop/a');
  });

  live(missing, '[KRES5] one that was wrong when we came shuts its own namespace', async () => {
    await add(access('a', 'deny', 'k8s ns'));
    const followed = await follow();
    await expect.poll(() => followed.source.status.broken, within).toMatchObject([{ stands: 'stand-in' }]);
    expect(followed.source.status.sound).toBe(true);
  });

  live(missing, '[KRES7] whoever listens is told of what changed, and of nothing else', async () => {
    const followed = await follow(60_000);
    await expect.poll(() => followed.source.synced, within).toBe(true);
    const { resource } = await add(access('a', 'allow'));
    const isTold = (text: string) => () => followed.told.at(-1)?.includes(text);
    await expect.poll(isTold('"action":"allow"'), within).toBe(true);
    const path = pathOf(resource, 'shop', 'a');
    await cluster.api.patch(path, { metadata: { annotations: { note: 'of no concern' } } });
    await cluster.api.patch(`${path}/status`, { status: { observedGeneration: 1 } });
    await put(cluster.api, placed(access('a', 'deny'))!);
    await expect.poll(isTold('"action":"deny"'), within).toBe(true);
    await cluster.api.delete(path);
    await expect.poll(isTold('shop'), within).toBe(false);
    expect(followed.told.filter((text, i) => text === followed.told[i - 1])).toEqual([]);
  });

  live(missing, '[KRES2] a kind that is missing is told, and followed as soon as it is there', async () => {
    const followed = await follow();
    await expect.poll(() => followed.source.synced, within).toBe(true);
    const why = 'the API server has no accesspolicies.clusterlink.net, want its definition (deploy/crds)';
    expect(whys(followed)).toContain(why);
    await install(cluster.api, clusterLinks);
    const metadata = { name: 'b', namespace: 'shop' };
    const { spec } = access('b', 'allow');
    await add({ apiVersion: 'clusterlink.net/v1alpha1', kind: 'AccessPolicy', metadata, spec });
    const name = 'AccessPolicy.clusterlink.net/shop/b';
    await expect.poll(() => filesOf(followed), within).toContain(name);
    expect(whys(followed)).not.toContain(why);
    for (const one of clusterLinks) await cluster.api.delete(`${definitionsPath}/${one.metadata.name}`);
    await expect.poll(() => filesOf(followed), within).not.toContain(name);
    await expect.poll(() => whys(followed), within).toContain(why);
    await expect.poll(() => followed.source.synced, within).toBe(true);
  });

  live(
    missing,
    '[KRES2] a server that comes back is followed further, and meanwhile nothing is forgotten',
    async () => {
      await add(access('a', 'deny'));
      const early = await follow();
      await expect.poll(() => filesOf(early), within).toContain('AccessPolicy/shop/a');
      const isCut = (one: typeof early) => whys(one).some((why) => /ECONN|hang up/.test(why));
      await cluster.apiserver.kill();
      await expect.poll(() => isCut(early), within).toBe(true);
      // Of what was missing nobody knows any more, and it counts as it was.
      const isDoubtful = () => early.source.status.kinds.some(({ state }) => state === 'unknown');
      await expect.poll(isDoubtful, within).toBe(true);
      expect(early.source.synced).toBe(true);
      expect(filesOf(early)).toContain('AccessPolicy/shop/a');
      const late = await follow();
      await expect.poll(() => isCut(late), within).toBe(true);
      expect([late.source.synced, late.source.age()]).toEqual([false, undefined]);
      await cluster.apiserver.start();
      await eventually(() => remove(cluster.api, placed(access('a', 'deny'))!));
      for (const { source } of [early, late]) {
        await expect.poll(() => source.synced, patient).toBe(true);
        await expect.poll(() => filesOf({ source }), patient).not.toContain('AccessPolicy/shop/a');
      }
    },
    180_000,
  );
});
