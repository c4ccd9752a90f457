import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { TokenReviewer } from '../../../src/attributes/kubernetes/token-review.ts';
import { live } from '../../live.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import { type Account, clusterLinks, openAccount, patient, role, rolePath, whys, within } from './account.ts';
import { install } from './resources.ts';

/** What Placet may do in a cluster, all of it and each time one rule less. */

const missing = programsMissing([etcd, kubeApiserver]);
let own: Account;
const running: ClusterSource[] = [];

beforeAll(async () => {
  if (missing !== undefined) return;
  own = await openAccount();
  await install(own.cluster.api, clusterLinks);
});
afterEach(() => {
  own?.leave();
  for (const one of running.splice(0)) one.close();
});
afterAll(() => own?.stop());

describe('[RBAC2] the permissions of deploy/rbac.yaml', () => {
  let token: string;

  /** Everything that is asked of the server, and what it said that it would not do. */
  async function refusals(): Promise<readonly string[]> {
    const api = await connect({ kubeconfig: own.kubeconfig });
    const pods = new ClusterSource(api);
    const followed = await own.follow();
    running.push(pods);
    void pods.run();
    const said = () => [
      ...whys(followed).filter((why) => why.includes('forbidden')),
      ...pods.status.flatMap(({ error }) => error ?? []),
    ];
    const isOver = () => said().length > 0 || (followed.source.synced && pods.age() !== undefined);
    await expect.poll(isOver, within).toBe(true);
    const review = await new TokenReviewer(api, { audiences: ['placet'] }).verify(token);
    return review.ok || review.refusal.code !== 'unavailable' ? said() : [...said(), review.refusal.message];
  }

  live(missing, '[RBAC2] are all that is needed', async () => {
    token = await own.token({ audiences: ['placet'] });
    expect(await refusals()).toEqual([]);
  });

  for (const [index, { apiGroups, resources: named, verbs }] of role.rules.entries())
    live(
      missing,
      `[RBAC2] without the rule for ${apiGroups[0] || 'pods'} it is said what is missing`,
      async () => {
        const rules = role.rules.filter((_, i) => i !== index);
        await own.cluster.api.put(`${rolePath}/placet`, { ...role, rules });
        const wanted = `cannot ${verbs[0]} resource "(${named.join('|')})" in API group "${apiGroups[0]}"`;
        try {
          // The server looks at its own rules a moment later.
          const said = async () => (await refusals()).join('\n');
          await expect.poll(said, patient).toMatch(new RegExp(wanted));
        } finally {
          await own.cluster.api.put(`${rolePath}/placet`, role);
        }
      },
    );
});
