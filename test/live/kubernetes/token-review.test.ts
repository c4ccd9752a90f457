import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifyServiceAccountToken } from '../../../src/attributes/jwt/service-account.ts';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { TokenReviewer } from '../../../src/attributes/kubernetes/token-review.ts';
import { live } from '../../live.ts';
import type { KubeObject } from '../../support/kubernetes/client.ts';
import { openCluster, type TestCluster } from '../../support/kubernetes/cluster.ts';
import { allow, createPod, deletePod, namespace, serviceAccount } from '../../support/kubernetes/objects.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';

const missing = programsMissing([etcd, kubeApiserver]);
const rule = { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] };
let cluster: TestCluster;

beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await openCluster({ users: ['placet', 'nobody'] });
  await namespace(cluster.api, 'shop');
  await serviceAccount(cluster.api, 'shop', 'web');
  await allow(cluster.api, 'placet', [rule]);
});
afterAll(() => cluster?.stop());

async function tokenFor(audience: string, pod?: KubeObject): Promise<string> {
  const bound =
    pod === undefined
      ? {}
      : { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: pod.metadata.name, uid: pod.metadata.uid } };
  const answer = await cluster.api.post<{ status: { token: string } }>(
    '/api/v1/namespaces/shop/serviceaccounts/web/token',
    { spec: { audiences: [audience], expirationSeconds: 600, ...bound } },
  );
  return answer.status.token;
}

async function review(token: string, user = 'placet', maxAge = 0) {
  const api = await connect({ kubeconfig: cluster.kubeconfig(user) });
  return await new TokenReviewer(api, { audiences: ['placet'], maxAge }).verify(token);
}

/** The server gives them in a type of their own, and in no other. */
async function issuerKeys(): Promise<readonly (JsonWebKey & { kid: string })[]> {
  const config = JSON.parse(readFileSync(cluster.kubeconfig('admin'), 'utf8'));
  const ca = readFileSync(config.clusters[0].cluster['certificate-authority']);
  const headers = { authorization: `Bearer ${config.users[0].user.token}` };
  const sent = get(new URL('/openid/v1/jwks', cluster.server), { ca, headers });
  const [response] = await once(sent, 'response');
  return ((await json(response)) as { keys: (JsonWebKey & { kid: string })[] }).keys;
}

describe('[J7] tokens that a real API server made', () => {
  live(missing, '[J7] [J6] say the same reviewed and by their keys', async () => {
    const pod = await createPod(cluster.api, 'shop', { name: 'web-0', serviceAccountName: 'web' });
    const token = await tokenFor('placet', pod);
    const reviewed = await review(token);
    expect(reviewed).toEqual({
      ok: true,
      value: {
        namespace: 'shop',
        name: 'web',
        pod: { name: 'web-0', uid: pod.metadata.uid },
        validUntil: expect.any(Number),
      },
    });
    const keys = await issuerKeys();
    const issuer = {
      name: 'https://kubernetes.default.svc.cluster.local',
      keys: new Map(keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })])),
    };
    const expected = { audiences: ['placet'], skew: 0 };
    expect(await verifyServiceAccountToken(token, issuer, expected, Date.now() + 1000)).toEqual(reviewed);
  });

  live(missing, '[J7] are refused for others, and if a byte was changed', async () => {
    expect(await review(await tokenFor('elsewhere'))).toMatchObject({ refusal: { code: 'unauthenticated' } });
    const [head, claims, signature] = (await tokenFor('placet')).split('.') as [string, string, string];
    const turned = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    expect(await review(`${head}.${claims}.${turned}`)).toMatchObject({
      refusal: { code: 'unauthenticated' },
    });
  });

  live(missing, '[J7] end with their pod', async () => {
    const pod = await createPod(cluster.api, 'shop', { name: 'web-1', serviceAccountName: 'web' });
    const token = await tokenFor('placet', pod);
    expect((await review(token)).ok).toBe(true);
    await deletePod(cluster.api, 'shop', 'web-1');
    // The server itself remembers its answers for some seconds.
    await expect
      .poll(() => review(token), { timeout: 40_000, interval: 500 })
      .toMatchObject({
        refusal: { code: 'unauthenticated' },
      });
  });

  live(missing, '[J8] are refused where we may not ask, and it is said what is missing', async () => {
    const refused = await review(await tokenFor('placet'), 'nobody');
    expect(refused).toEqual({
      ok: false,
      refusal: {
        code: 'unavailable',
        message: expect.stringMatching(
          /cannot create resource "tokenreviews" in API group "authentication.k8s.io"/,
        ),
      },
    });
  });
});
