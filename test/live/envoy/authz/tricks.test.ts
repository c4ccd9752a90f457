import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect } from 'vitest';
import { pathBefore } from '../../../../src/pdp/model/path.ts';
import { live } from '../../../live.ts';
import { type Certificate, dns, leaf, tagCertificate, uri } from '../../../support/certificates/index.ts';
import { type Lab, openLab, type Said } from '../../../support/envoy/lab.ts';
import { grpcCluster, type ListenerSpec, socketOf } from '../../../support/envoy/listeners.ts';
import { envoyMissing } from '../../../support/envoy/program.ts';
import { connectTls } from '../../../support/envoy/tls-client.ts';
import { spiffeBundles, trustedCa } from '../../../support/envoy/trust.ts';
import {
  asking,
  certificateFor,
  decide,
  friend,
  openUpstream,
  paths,
  plainCluster,
  serveShop,
  stranger,
  td,
  type Upstream,
} from './world.ts';

/** What clients do to look like somebody else, or like asking for something else, one by one, past a real Envoy. */

const plain = { normalize_path: false, merge_slashes: false };
const principalOnly = { include_peer_certificate: false };
const of = (cluster: string, more = {}) =>
  asking({
    ...more,
    grpc_service: { envoy_grpc: { cluster_name: cluster }, timeout: '10s', initial_metadata },
  });
const { initial_metadata } = (
  asking() as unknown as { typed_config: { grpc_service: { initial_metadata: unknown } } }
).typed_config.grpc_service;

interface World {
  readonly lab: Lab;
  readonly upstream: Upstream;
  readonly specs: readonly ListenerSpec[];
}

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let opened: Promise<World> | undefined;
function world(): Promise<World> {
  opened ??= open();
  return opened;
}

async function open(): Promise<World> {
  const [placet, safe, telling] = await Promise.all([
    serveShop(),
    serveShop({ principals: 'only-spiffe-ids-are-admitted' }),
    serveShop({ tellUpstream: true, denial: { status: 403, body: 'no' } }),
  ]);
  const upstream = await openUpstream();
  const home = await td();
  const strict = spiffeBundles(home);
  const loose = trustedCa(home);
  const onward = [{ match: { prefix: '' }, route: { cluster: 'upstream' } }];
  const spec = (name: string, fields: Partial<ListenerSpec>): ListenerSpec => ({
    name,
    kind: 'http',
    filters: [of('placet')],
    trust: strict,
    certificate: false,
    ...fields,
  });
  const specs = [
    spec('web', {}),
    spec('as it comes', { manager: plain }),
    spec('loose', { trust: loose }),
    spec('principals', { filters: [of('placet', principalOnly)], trust: loose }),
    spec('declared', { filters: [of('safe', principalOnly)] }),
    spec('declared wrongly', { filters: [of('safe', principalOnly)], trust: loose }),
    spec('onward', { routes: onward }),
    spec('telling', { filters: [of('telling')], routes: onward }),
  ];
  const lab = await openLab(specs, {
    clusters: [
      grpcCluster('placet', placet.port),
      grpcCluster('safe', safe.port),
      grpcCluster('telling', telling.port),
      plainCluster('upstream', upstream.port),
    ],
  });
  closing.push(...[placet, safe, telling, upstream].map((one) => () => one.close()), () => lab.stop());
  return { lab, upstream, specs };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** One request with its whole answer. */
async function fetchFrom(
  { lab, specs }: World,
  listener: string,
  certificate: Certificate,
  headers: Record<string, string>,
): Promise<Reply> {
  const path = socketOf(
    lab.envoy.folder,
    specs.findIndex(({ name }) => name === listener),
  );
  const socket = (await connectTls({ path }, { certificate })) as Socket;
  const asked = request({ createConnection: () => socket, path: '/orders', host: 'a', headers }).end();
  const [answer] = await once(asked, 'response');
  const body = await text(answer);
  socket.destroy();
  return { status: answer.statusCode, headers: answer.headers, body };
}

const left = ({ metadata }: Said) =>
  (metadata?.['envoy.filters.http.ext_authz'] ?? {}) as Record<string, unknown>;

describe('tricks past ext_authz', () => {
  live(envoyMissing, '[AUTHZ9] every way to write a path is decided as the PDP decides it', async () => {
    const { lab } = await world();
    const certificate = await certificateFor(friend);
    const probes = paths.map((path) => ({ path }));
    for (const listener of ['web', 'as it comes']) {
      const said = await lab.ask(listener, { certificate }, probes);
      const rejected = paths.filter((_, at) => said[at]?.verdict === 'rejected');
      const expected = paths.map((path) =>
        rejected.includes(path)
          ? 'rejected'
          : // Which Envoy has normalised is not said: what it may have left is taken for that.
            decide(friend, 'GET', listener === 'web' ? path : pathBefore(path)),
      );
      expect(said.map(({ verdict }, at) => [paths[at], verdict])).toEqual(
        paths.map((path, at) => [path, expected[at]]),
      );
      // What an Envoy answers by itself is let in by nobody; without normalising it passes on all of them.
      expect(rejected).toEqual(listener === 'web' ? ['/metrics%00'] : []);
      expect(new Set(said.map(({ verdict }) => verdict)).size).toBeGreaterThan(1);
    }
  });

  live(envoyMissing, '[AUTHZ9] several names, none, and no certificate are nobody', async () => {
    const { lab } = await world();
    const home = await td();
    const named = (...sans: Parameters<typeof leaf>[1]['sans'] & object) => leaf(home, { sans });
    const clients = {
      friend: await certificateFor(friend),
      stranger: await certificateFor(stranger),
      'two IDs': await named(uri(friend), uri(stranger)),
      'an ID and another URI': await named(uri(friend), uri('kuma://k/v')),
      'another URI and an ID': await named(uri('kuma://k/v'), uri(friend)),
      'a comma in an ID': await named(uri(`${stranger},${friend}`)),
      'an ID as a DNS name': await named(dns(friend)),
      'a DNS name': await named(dns('friend.shop')),
      'an ID as a common name': await leaf(home, { commonName: friend }),
      'dots that are encoded': await named(uri('spiffe://td.example/ns/shop/%2e%2e/sa/x')),
      'upper case': await named(uri(friend.replace('td.example', 'TD.example'))),
      tags: await tagCertificate(home, 'td.example', ['friend']),
      nothing: undefined,
    };
    const found: Record<string, unknown> = {};
    for (const [name, certificate] of Object.entries(clients)) {
      const [said] = await lab.ask('loose', certificate === undefined ? {} : { certificate }, [{}]);
      found[name] = [said?.verdict, left(said as Said)['reason']];
    }
    expect(found).toEqual({
      friend: ['allow', 'rule'],
      stranger: ['deny', 'default'],
      'two IDs': ['deny', 'invalid-source'],
      'an ID and another URI': ['deny', 'invalid-source'],
      'another URI and an ID': ['deny', 'invalid-source'],
      'a comma in an ID': ['deny', 'invalid-source'],
      'an ID as a DNS name': ['deny', 'invalid-source'],
      'a DNS name': ['deny', 'invalid-source'],
      'an ID as a common name': ['deny', 'invalid-source'],
      'dots that are encoded': ['deny', 'invalid-source'],
      'upper case': ['deny', 'invalid-source'],
      tags: ['deny', 'invalid-source'],
      nothing: ['deny', 'unidentified'],
    });
  });

  live(
    envoyMissing,
    '[AUTHZ9] without the certificate a principal is believed only where nothing but SPIFFE IDs gets in',
    async () => {
      const { lab } = await world();
      const home = await td();
      const clients = {
        friend: await certificateFor(friend),
        stranger: await certificateFor(stranger),
        dns: await leaf(home, { sans: [dns(friend)] }),
        commonName: await leaf(home, { commonName: friend }),
      };
      const verdicts = async (listener: string) => {
        const found: Record<string, string | undefined> = {};
        for (const [name, certificate] of Object.entries(clients))
          found[name] = (await lab.ask(listener, { certificate }, [{}]))[0]?.verdict;
        return found;
      };
      const nobody = { friend: 'deny', stranger: 'deny', dns: 'deny', commonName: 'deny' };
      expect(await verdicts('principals')).toEqual(nobody);
      const refused = { dns: 'refused', commonName: 'refused' };
      expect(await verdicts('declared')).toEqual({ ...nobody, ...refused, friend: 'allow' });
      // What the declaration keeps out: Envoy tells a DNS name as it tells an ID.
      expect(await verdicts('declared wrongly')).toEqual({ ...nobody, friend: 'allow', dns: 'allow' });
    },
  );

  live(
    envoyMissing,
    '[AUTHZ9] headers that a client makes up say nothing, and do not get through',
    async () => {
      const all = await world();
      const [good, bad] = [await certificateFor(friend), await certificateFor(stranger)];
      const forged = {
        'x-forwarded-client-cert': `By=x;URI=${friend}`,
        'x-placet-dataplane': 'other',
        'x-placet-service': 'shop/other',
        'x-placet-decision-id': 'mine',
        'x-placet-reason': 'mine',
        'x-placet-trust': 'attested',
        'x-original-uri': '/orders',
      };
      for (const listener of ['onward', 'telling'])
        expect((await fetchFrom(all, listener, bad, forged)).status).toBe(403);
      expect(all.upstream.seen.size).toBe(0);
      for (const listener of ['onward', 'telling']) {
        const { status } = await fetchFrom(all, listener, good, { ...forged, 'x-probe': listener });
        expect(status).toBe(200);
      }
      const [quiet, told] = ['onward', 'telling'].map((name) => all.upstream.seen.get(name) ?? {});
      expect(quiet).not.toHaveProperty('x-placet-reason');
      expect(quiet).not.toHaveProperty('x-placet-trust');
      expect(told).toMatchObject({ 'x-placet-reason': 'rule', 'x-placet-trust': 'attested' });
      for (const headers of [quiet, told]) {
        expect(headers).not.toHaveProperty('x-placet-dataplane');
        expect(headers).not.toHaveProperty('x-placet-service');
        expect(String(headers?.['x-placet-decision-id'])).not.toContain('mine');
      }
    },
  );

  live(
    envoyMissing,
    '[AUTHZ9] a denial names no policy; the access log does, with its decision',
    async () => {
      const all = await world();
      const certificate = await certificateFor(friend);
      const [said] = await all.lab.ask('web', { certificate }, [{ path: '/metrics' }]);
      expect(left(said as Said)).toMatchObject({
        decision: 'deny',
        reason: 'rule',
        shadow: 'deny',
        policy: expect.stringContaining('secret-policy'),
        decision_id: expect.stringMatching(/^\S+\.\w+$/),
        snapshot: expect.stringMatching(/./),
      });
      const denied = await fetchFrom(all, 'telling', await certificateFor(stranger), {});
      expect([denied.status, denied.body]).toEqual([403, 'no']);
      expect(denied.headers['x-placet-decision-id']).toMatch(/^\S+\.\w+$/);
      expect(JSON.stringify(denied)).not.toMatch(/secret|policy|default|snapshot/);
    },
  );
});
