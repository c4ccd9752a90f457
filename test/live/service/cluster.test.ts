import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { run } from '../../cli/world.ts';
import { live } from '../../live.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { createPod, deletePod, runPod, serviceAccount } from '../../support/kubernetes/objects.ts';
import { etcd, kubeApiserver } from '../../support/kubernetes/programs/recipes.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import { type Account, openAccount, patient, within } from '../kubernetes/account.ts';
import { placed, put, remove, store } from '../kubernetes/resources.ts';
import { type Running, start } from './process.ts';
import { startWithout } from './waiting.ts';

/**
 * The service as a process beside a real API server, with no more than deploy/rbac.yaml allows, and no file of
 * policies. In order: each test begins where the last ended.
 */

const missing = programsMissing([etcd, kubeApiserver]);
const folder = temporary();
const file = (name: string) => `${folder.path}/${name}`;
let own: Account;
let service: Running;
let certificate: string;
let token: string;

const site = { type: 'Site', name: 'here', spec: { local: true, trustDomains: ['td.example'] } };
const access = (action: string, key = 'k8s:label:role') => ({
  type: 'AccessPolicy',
  name: 'readers',
  namespace: 'shop',
  spec: {
    action,
    from: [{ workloadSelector: { matchLabels: { [key]: 'reader' } } }],
    to: [{ workloadSelector: {} }],
  },
});

beforeAll(async () => {
  if (missing !== undefined) return;
  own = await openAccount();
  const { api } = own.cluster;
  for (const name of ['web', 'gateway']) await serviceAccount(api, 'shop', name);
  await store(api, placed(site)!);
  await store(api, placed({ type: 'Service', name: 'pay', namespace: 'shop', spec: {} })!);
  const root = await authority('td.example');
  writeFileSync(file('bundle.pem'), root.bundle);
  ({ chain: certificate } = await svid(root, 'spiffe://td.example/ns/shop/sa/web'));
  const config = {
    kubernetes: { kubeconfig: own.kubeconfig, policies: true },
    bundles: { 'td.example': 'bundle.pem' },
    audiences: ['placet'],
    maxStaleness: 15,
    callers: [
      { loopback: true, roles: ['decide', 'relay', 'explain'] },
      { serviceAccount: 'shop/gateway', roles: ['decide'] },
    ],
  };
  writeFileSync(file('placet.yaml'), JSON.stringify(config));
  service = await start('--config', file('placet.yaml'));
  token = await gatewayToken();
});
afterAll(async () => {
  service?.process.kill('SIGKILL');
  await own?.stop();
  folder.remove();
});

/** Of a pod, and good as long as that is. */
async function gatewayToken(): Promise<string> {
  const { api } = own.cluster;
  const { metadata } = await createPod(api, 'shop', { name: 'gateway-0', serviceAccountName: 'gateway' });
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'gateway-0', uid: metadata.uid };
  const made = await api.post<{ status: { token: string } }>(
    '/api/v1/namespaces/shop/serviceaccounts/gateway/token',
    { spec: { audiences: ['placet'], boundObjectRef } },
  );
  return made.status.token;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(path: string, body?: object, bearer?: string): Promise<Answer> {
  const answer = await fetch(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const destination = { service: 'shop/pay' };
const address = '10.0.0.1';

async function decide(source: object): Promise<string> {
  const { body } = await ask('/decide', { source, destination });
  return `${body['decision']}: ${body['reason']}`;
}

interface Source {
  readonly name: string;
  readonly fresh: boolean;
  readonly age: number;
  readonly problems: readonly string[];
}
const sources = async () => (await ask('/ready?verbose')).body['sources'] as readonly Source[];
const problems = async () => (await sources()).flatMap((one) => one.problems);

const broken =
  /^AccessPolicy\/shop\/readers: its last good state is in force: .*got "k8s label", want an attribute key/;

describe('[KSRV1] placet serve with the policies of a cluster', () => {
  live(missing, '[KSRV1] decides by what is created and changed', async () => {
    const { api } = own.cluster;
    await expect.poll(async () => (await ask('/ready')).body, within).toEqual({ ready: true });
    expect(service.greeting()).toContain(
      `  policies  the cluster: 0 policies, 0 rules\n  cluster   ${own.cluster.server}\n`,
    );
    await createPod(api, 'shop', { name: 'web-0', serviceAccountName: 'web', labels: { role: 'reader' } });
    await runPod(api, 'shop', 'web-0', [address]);
    await store(api, placed(access('allow'))!);
    await expect.poll(() => decide({ ip: address }), within).toBe('allow: rule');
    const { body } = await ask('/decide', { source: { ip: address }, destination });
    expect(body).toMatchObject({
      by: { kri: 'AccessPolicy/shop/readers' },
      place: { file: 'AccessPolicy/shop/readers' },
      trust: 'reported',
    });
    expect(await decide({ ip: '10.0.0.9' })).toBe('deny: default');
    await put(api, placed(access('deny'))!);
    await expect.poll(() => decide({ ip: address }), within).toBe('deny: rule');
    await put(api, placed(access('allow'))!);
    await expect.poll(() => decide({ ip: address }), within).toBe('allow: rule');
  });

  live(
    missing,
    '[KSRV1] [LIVE3] goes on with the last good state of what is broken, and says so',
    async () => {
      const { api } = own.cluster;
      await put(api, placed(access('deny', 'k8s label'))!);
      await expect.poll(problems, within).toEqual([expect.stringMatching(broken)]);
      expect([await decide({ ip: address }), (await ask('/ready')).status]).toEqual(['allow: rule', 200]);
      const { body } = await ask('/policies/AccessPolicy/shop/readers');
      expect(body['statuses']).toContainEqual(
        expect.objectContaining({
          severity: 'error',
          field: 'spec.from[0].workloadSelector.matchLabels["k8s label"]',
          message: expect.stringContaining('got "k8s label", want an attribute key'),
        }),
      );
      await service.said(/^policies in https:.*readers: its last good state is in force: /);
      await put(api, placed(access('allow'))!);
      await expect.poll(problems, within).toEqual([]);
      await service.said(/^policies in https:.*: nothing is wrong any more$/);
    },
  );

  live(missing, '[KSRV2] knows pods by address and by certificate, as whois and doctor do', async () => {
    const seen = async (evidence: object) => {
      const { body } = await ask('/attributes/whois', evidence);
      const values = body['values'] as readonly { key: string; value: string; trust: string }[];
      return values.map(({ key, value, trust }) => `${key}=${value} ${trust}`);
    };
    const byAddress = await seen({ ip: address });
    expect(byAddress).toEqual(
      expect.arrayContaining([
        'k8s:label:role=reader reported',
        'k8s:ns=shop reported',
        'k8s:pod=web-0 reported',
      ]),
    );
    expect(await seen({ certificate })).toEqual(
      expect.arrayContaining([
        'k8s:label:role=reader observed',
        'k8s:ns=shop attested',
        'k8s:sa=web attested',
      ]),
    );
    const { body } = await ask('/decide', { source: { certificate }, destination });
    expect([body['decision'], body['trust']]).toEqual(['allow', 'observed']);
    const kubeconfig = ['--kubeconfig', own.kubeconfig, '--json'];
    const asked = await run(['whois', '--ip', address, ...kubeconfig]);
    const values = (JSON.parse(asked.out) as { values: { key: string; value: string; trust: string }[] })
      .values;
    const besides = byAddress.filter((one) => !one.startsWith('site:'));
    expect(values.map(({ key, value, trust }) => `${key}=${value} ${trust}`)).toEqual(besides);
    expect(await run(['doctor', ...kubeconfig])).toMatchObject({ code: 0 });
  });

  live(
    missing,
    '[KSRV3] [CALL3] a token of a pod has the roles of its account, and ends with the pod',
    async () => {
      const called = async () => {
        const { status, body } = await ask('/decide', { source: { ip: address }, destination }, token);
        return status === 200 ? body['decision'] : `${status}: ${body['detail']}`;
      };
      // With the role decide alone an address is asserted, which is less than an allow wants.
      expect(await called()).toBe('deny');
      expect((await ask('/policies', undefined, token)).status).toBe(403);
      await deletePod(own.cluster.api, 'shop', 'gateway-0');
      // The API server remembers for some seconds that a token was good, and so do we.
      await expect.poll(called, patient).toMatch(/^401: the token is refused \(unauthenticated\)/);
    },
  );

  live(
    missing,
    '[KSRV4] nothing grows too old while nothing changes',
    async () => {
      const statuses = new Set<number>();
      const renewed = new Map<string, number>();
      let before = new Map<string, number>();
      await expect
        .poll(async () => {
          statuses.add((await ask('/ready')).status);
          const ages = new Map((await sources()).map(({ name, age }) => [name, age]));
          for (const [name, age] of ages)
            renewed.set(name, (renewed.get(name) ?? 0) + Number(age < (before.get(name) ?? 0)));
          before = ages;
          return Math.min(...renewed.values());
        }, patient)
        .toBeGreaterThanOrEqual(3);
      expect([...statuses]).toEqual([200]);
    },
    90_000,
  );

  live(
    missing,
    '[KSRV4] [KSRV8] [LIVE10] [SVC7] without the API server it decides for maxStaleness, then denies until it is back',
    async () => {
      await own.cluster.apiserver.kill();
      await expect.poll(() => problems().then((all) => all.join()), within).toContain('ECONNREFUSED');
      expect([await decide({ ip: address }), (await ask('/ready')).status]).toEqual(['allow: rule', 200]);
      await expect.poll(async () => (await ask('/ready')).status, patient).toBe(503);
      await expect.poll(() => decide({ ip: address }), patient).toBe('deny: stale');
      await expect
        .poll(async () => (await sources()).map(({ name, fresh }) => [name, fresh]), patient)
        .toEqual([
          [`policies in ${own.cluster.server}`, false],
          ['cluster pods', false],
        ]);
      expect(await decide({ attributes: { 'k8s:ns': 'web' } })).toBe('deny: stale');
      const other = await startWithout(file('placet.yaml'), { source: { ip: address }, destination });
      await own.cluster.apiserver.start();
      await expect.poll(async () => (await ask('/ready')).status, patient).toBe(200);
      await expect.poll(() => decide({ ip: address }), patient).toBe('allow: rule');
      await other.decides();
    },
    120_000,
  );

  live(missing, '[KSRV1] what is deleted decides no more', async () => {
    await remove(own.cluster.api, placed(access('allow'))!);
    await expect.poll(() => decide({ ip: address }), within).toBe('deny: default');
    service.process.kill('SIGTERM');
    expect(await service.ended()).toBe(0);
  });
});
