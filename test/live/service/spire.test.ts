import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { WorkloadApi } from '../../../src/attributes/workload-api/source.ts';
import { credentialsOf, type OwnSvid } from '../../../src/attributes/workload-api/svid.ts';
import { readCertificate } from '../../../src/attributes/x509/certificate.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { live } from '../../live.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { programsMissing } from '../../support/programs/missing.ts';
import { spire } from '../../support/spire/recipe.ts';
import { openSpire, type Spire } from '../../support/spire/world.ts';
import { type Running, start } from './process.ts';

/**
 * The service as a process whose identity, and whose word on who others are, is a real SPIRE's. In order: each test
 * begins where the last ended.
 */

const missing = programsMissing([spire]);
const own = 'spiffe://td.example/ns/placet/sa/placet';
const web = 'spiffe://td.example/ns/shop/sa/web';
const patient = { timeout: 40_000, interval: 50 };
/** Seconds: an SVID is renewed when half of that is over. */
const life = ['-x509SVIDTTL', '30'];
const folder = temporary();
const bundles = new Bundles();
const verifier = new X509Verifier(bundles);
let world: Spire;
let api: WorkloadApi;
let followed: Promise<void>;
let service: Running;

const policies = `
{type: Site, name: here, spec: {local: true, trustDomains: [td.example]}}
---
{type: Service, name: pay, namespace: shop, spec: {}}
---
type: AccessPolicy
name: web
namespace: shop
spec:
  action: allow
  from: [{workloadSelector: {matchLabels: {"k8s:sa": web}}}]
  to: [{workloadSelector: {}}]
`;

beforeAll(async () => {
  if (missing !== undefined) return;
  world = await openSpire('td.example');
  await world.allow(own, ...life);
  await world.allow(web, ...life);
  await world.startAgent();
  api = new WorkloadApi({ path: world.socket }, bundles);
  followed = api.run();
  writeFileSync(`${folder.path}/policies.yaml`, policies);
  const config = {
    policies: ['policies.yaml'],
    workloadApi: `unix://${world.socket}`,
    tls: 'workload-api',
    callers: [{ spiffeId: web, roles: ['decide', 'relay', 'explain'] }],
  };
  writeFileSync(`${folder.path}/placet.yaml`, JSON.stringify(config));
  service = await start('--config', `${folder.path}/placet.yaml`);
  // What this side verifies with comes by streams of its own: keys for tokens may be there without certificates.
  const known = () => svidOf(own) !== undefined && (bundles.authorities('td.example')?.length ?? 0) > 0;
  while (!known() || svidOf(web) === undefined) await pause(patient.interval);
});
afterAll(async () => {
  service?.process.kill('SIGKILL');
  api?.close();
  await followed;
  await world?.stop();
  folder.remove();
});

/** As SPIRE has it now. */
function svidOf(id: string): OwnSvid | undefined {
  return api.svids().find(({ spiffeId }) => spiffeId.toString() === id);
}

interface Shown {
  readonly server: string;
  readonly fingerprint: string;
}

const servers = new WeakMap<TLSSocket, Shown>();

/** Of a connection, once: asked again, Node gives a client the next certificate of the chain. */
function serverAt(socket: TLSSocket): Shown {
  let shown = servers.get(socket);
  if (shown === undefined) {
    const read = readCertificate(socket.getPeerX509Certificate()?.raw ?? new Uint8Array());
    const verified = read.ok ? verifier.verify([read.value]) : read;
    shown = {
      server: verified.ok ? verified.value.spiffeId.toString() : verified.refusal.message,
      fingerprint: read.ok ? read.value.fingerprint : '',
    };
    servers.set(socket, shown);
  }
  return shown;
}

/** One connection for each SVID of the client, as long as that is the one it has. */
function client(id: string) {
  let agent: Agent | undefined;
  let of: OwnSvid | undefined;
  const current = (): Agent => {
    const now = svidOf(id);
    if (now === undefined) throw new Error(`SPIRE gave no SVID of ${id}`);
    if (agent !== undefined && now === of) return agent;
    agent?.destroy();
    of = now;
    agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, ...credentialsOf(now) });
    return agent;
  };
  return {
    shown: () => of?.chain[0].fingerprint,
    async ask(path: string, body?: object) {
      const sent = request(`${service.url}${path}`, {
        agent: current(),
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      const { server, fingerprint } = serverAt(reply.socket as TLSSocket);
      return {
        server,
        fingerprint,
        status: reply.statusCode,
        body: JSON.parse(await text(reply)) as Readonly<Record<string, unknown>>,
      };
    },
    close: () => agent?.destroy(),
  };
}

const destination = { service: 'shop/pay' };
const question = () => ({ source: { certificate: pemOf(svidOf(web)) }, destination });

function pemOf(svid: OwnSvid | undefined): string {
  if (svid === undefined) throw new Error('SPIRE gave no SVID');
  return credentialsOf(svid).cert.toString();
}

describe('[KSRV7] placet serve with the Workload API of SPIRE', () => {
  live(
    missing,
    '[KSRV7] shows its SVID, knows callers by theirs, and what SPIRE vouches for is attested',
    async () => {
      await expect.poll(() => svidOf(web), patient).toBeDefined();
      await expect.poll(() => bundles.trustDomains(), patient).toEqual(['td.example']);
      const caller = client(web);
      const { server, status, body } = await caller.ask('/decide', question());
      expect([server, status]).toEqual([own, 200]);
      expect(body).toMatchObject({ decision: 'allow', trust: 'attested', by: { policy: 'web' } });
      const ready = await caller.ask('/ready?verbose');
      expect([ready.status, ready.body['sources']]).toEqual([
        200,
        expect.arrayContaining([
          expect.objectContaining({ name: 'workload api', fresh: true, problems: [] }),
        ]),
      ]);
      caller.close();
      const nobody = client(own);
      expect(await nobody.ask('/decide', question())).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining(`got ${own}`) },
      });
      nobody.close();
      expect(service.greeting()).toContain(`callers   ${web}: decide, relay, explain`);
    },
  );

  live(
    missing,
    '[KSRV7] both are renewed twice while they talk, and no request fails',
    async () => {
      const caller = client(web);
      const [shown, seen, wrong] = [new Set<string>(), new Set<string>(), new Set<string>()];
      let count = 0;
      const end = performance.now() + 60_000;
      while ((shown.size < 3 || seen.size < 3) && performance.now() < end) {
        const answer = await caller.ask('/decide', question()).catch((error: Error) => error);
        count++;
        if (answer instanceof Error) wrong.add(answer.message);
        else {
          const { server, status, body } = answer;
          const says = `${server} ${status} ${body['decision']} ${body['trust']}`;
          if (says !== `${own} 200 allow attested`) wrong.add(says);
          seen.add(answer.fingerprint);
        }
        shown.add(caller.shown() ?? '');
        await pause(20);
      }
      caller.close();
      console.log(
        `${count} requests over ${shown.size} certificates of the client, ${seen.size} of the service`,
      );
      expect([...wrong]).toEqual([]);
      expect([shown.size, seen.size]).toEqual([3, 3]);
      await service.said(/^tls: the new SVID of spiffe:\/\/td\.example\/ns\/placet\/sa\/placet is in use$/);
    },
    90_000,
  );

  live(
    missing,
    '[KSRV7] an agent that is killed takes nothing away, and brings new ones when it is back',
    async () => {
      const caller = client(web);
      const before = await caller.ask('/decide', question());
      await world.killAgent();
      await service.said(/^workload api: FetchX509SVID: /);
      const without = await caller.ask('/decide', question());
      expect([without.server, without.body['decision'], without.fingerprint]).toEqual([
        own,
        'allow',
        before.fingerprint,
      ]);
      const ready = await caller.ask('/ready?verbose');
      const [problem] = (ready.body['sources'] as { name: string; problems: string[] }[])
        .filter(({ name }) => name === 'workload api')
        .flatMap(({ problems }) => problems);
      expect([ready.status, problem]).toEqual([200, expect.stringContaining('FetchX509SVID: ')]);
      await world.startAgent();
      await expect
        .poll(async () => (await caller.ask('/decide', question())).fingerprint, patient)
        .not.toBe(before.fingerprint);
      expect((await caller.ask('/decide', question())).body['decision']).toBe('allow');
      await service.said(/^workload api: nothing is wrong any more$/);
      caller.close();
      service.process.kill('SIGTERM');
      expect(await service.ended()).toBe(0);
    },
  );
});
