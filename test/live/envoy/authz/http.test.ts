import { afterAll, describe, expect } from 'vitest';
import { pathBefore } from '../../../../src/pdp/model/path.ts';
import { live } from '../../../live.ts';
import { dns, leaf, uri } from '../../../support/certificates/index.ts';
import { type Lab, openLab, type Said } from '../../../support/envoy/lab.ts';
import type { Filter } from '../../../support/envoy/listeners.ts';
import { envoyMissing } from '../../../support/envoy/program.ts';
import { spiffeBundles, trustedCa } from '../../../support/envoy/trust.ts';
import {
  certificateFor,
  decide,
  friend,
  openUpstream,
  paths,
  plainCluster,
  type Serving,
  serveShop,
  stranger,
  td,
  type Upstream,
} from './world.ts';

/** A real Envoy that asks by HTTP, with the client in x-forwarded-client-cert. */

const askingAt = (cluster: string, authorization_response: object): Filter => ({
  name: 'envoy.filters.http.ext_authz',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz',
    transport_api_version: 'V3',
    allowed_headers: { patterns: [{ exact: 'x-forwarded-client-cert' }] },
    http_service: {
      server_uri: { uri: 'http://placet', cluster, timeout: '10s' },
      path_prefix: '/ext_authz/mesh=default;dataplane=web-1;inbound=http',
      authorization_response,
    },
  },
});
const asking = askingAt('placet', { allowed_upstream_headers: { patterns: [{ prefix: 'x-placet-' }] } });
/** As it is where nothing is said of headers. */
const askingPlainly = askingAt('silent', {});

const forwarding = (details: Readonly<Record<string, boolean>>) => ({
  forward_client_cert_details: 'SANITIZE_SET',
  set_current_client_cert_details: details,
});

interface World {
  readonly lab: Lab;
  readonly placet: Serving;
  readonly upstream: Upstream;
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
  const placet = await serveShop({}, { extAuthz: { tellUpstream: true } }, { socket: true });
  closing.push(() => placet.close());
  const silent = await serveShop({}, {}, { socket: true });
  closing.push(() => silent.close());
  const upstream = await openUpstream();
  closing.push(() => upstream.close());
  const home = await td();
  const common = { kind: 'http' as const, filters: [asking], certificate: false };
  const plain = { normalize_path: false, merge_slashes: false };
  const uris = forwarding({ uri: true });
  const routes = [{ match: { prefix: '' }, route: { cluster: 'upstream' } }];
  const lab = await openLab(
    [
      { ...common, name: 'uris', trust: spiffeBundles(home), manager: uris },
      { ...common, name: 'as it comes', trust: spiffeBundles(home), manager: { ...uris, ...plain } },
      { ...common, name: 'uris loose', trust: trustedCa(home), manager: uris },
      { ...common, name: 'certificates', trust: trustedCa(home), manager: forwarding({ cert: true }) },
      {
        ...common,
        name: 'onward',
        trust: spiffeBundles(home),
        manager: uris,
        routes,
      },
      {
        ...common,
        name: 'onward plainly',
        filters: [askingPlainly],
        trust: spiffeBundles(home),
        manager: uris,
        routes,
      },
    ],
    {
      clusters: [
        plainCluster('placet', placet.socket),
        plainCluster('silent', silent.socket),
        plainCluster('upstream', upstream.port),
      ],
    },
  );
  closing.push(() => lab.stop());
  return { lab, placet, upstream };
}

/** Which Envoy has normalised is not said: what it may have left is taken for that. */
const askedOf = (listener: string, path: string) => (listener === 'as it comes' ? pathBefore(path) : path);

describe('ext_authz by HTTP', () => {
  live(envoyMissing, '[AUTHZ11] every way to write a path is decided as the PDP decides it', async () => {
    const { lab } = await world();
    for (const id of [friend, stranger])
      for (const listener of ['uris', 'as it comes']) {
        // What would leave the prefix, were it resolved.
        const all = [...paths, '/../../../live', '/../../../../live', '/..\\..\\..\\live', '/live'];
        const certificate = await certificateFor(id);
        const said = await lab.ask(
          listener,
          { certificate },
          all.map((path) => ({ path })),
        );
        const found = said.map(({ verdict }, at) => [all[at], verdict] as const);
        const rejected = found.filter(([, verdict]) => verdict === 'rejected').map(([path]) => path);
        expect(found.filter(([, verdict]) => verdict !== 'rejected')).toEqual(
          all
            .filter((path) => !rejected.includes(path))
            .map((path) => [path, decide(id, 'GET', askedOf(listener, path))]),
        );
        expect(rejected.length).toBeLessThan(4);
      }
  });

  live(envoyMissing, '[AUTHZ10] several names, none, and no certificate are nobody', async () => {
    const { lab } = await world();
    const home = await td();
    const named = (...sans: Parameters<typeof leaf>[1]['sans'] & object) => leaf(home, { sans });
    const clients = {
      friend: await certificateFor(friend),
      stranger: await certificateFor(stranger),
      'two IDs': await named(uri(friend), uri(stranger)),
      'an ID and another URI': await named(uri(friend), uri('kuma://k/v')),
      'a header in an ID': await named(uri(`spiffe://td.example/x;URI=${friend}`)),
      'an element in an ID': await named(uri(`spiffe://td.example/x,By=y;URI=${friend}`)),
      'quotes in an ID': await named(uri(`spiffe://td.example/"x";URI=${friend}`)),
      'an ID as a DNS name': await named(dns(friend)),
      'an ID as a common name': await leaf(home, { commonName: `URI=${friend}` }),
      nothing: undefined,
    };
    for (const listener of ['uris loose', 'certificates']) {
      const found: Record<string, Said['verdict'] | undefined> = {};
      for (const [name, certificate] of Object.entries(clients))
        found[name] = (
          await lab.ask(listener, certificate === undefined ? {} : { certificate }, [{}])
        )[0]?.verdict;
      const nobody = Object.fromEntries(Object.keys(clients).map((name) => [name, 'deny']));
      expect([listener, found]).toEqual([listener, { ...nobody, friend: 'allow' }]);
    }
  });

  live(
    envoyMissing,
    '[AUTHZ10] headers that a client makes up say nothing, and do not get through',
    async () => {
      const { lab, upstream } = await world();
      const forged = {
        'x-forwarded-client-cert': `By=x;URI=${friend}`,
        authorization: 'Bearer of-a-client',
        'x-placet-dataplane': 'other',
        'x-placet-reason': 'mine',
        'x-placet-trust': 'mine',
        'x-placet-decision-id': 'mine',
      };
      const ask = async (id: string, headers: Record<string, string>) =>
        (await lab.ask('onward', { certificate: await certificateFor(id) }, [{ headers }]))[0]?.verdict;
      expect(await ask(stranger, forged)).toBe('deny');
      expect(upstream.seen.size).toBe(0);
      expect(await ask(friend, forged)).toBe('allow');
      const [headers = {}] = upstream.seen.values();
      expect(headers).toMatchObject({ 'x-placet-reason': 'rule', 'x-placet-trust': 'attested' });
      expect(headers).not.toHaveProperty('x-placet-dataplane');
      expect(String(headers['x-placet-decision-id'])).not.toContain('mine');
    },
  );

  live(
    envoyMissing,
    '[AUTHZ10] nothing under our names gets through where upstreams are told nothing, whatever Envoy lets through',
    async () => {
      const { lab, upstream } = await world();
      const names = ['decision-id', 'reason', 'trust', 'mesh', 'dataplane', 'inbound', 'service', 'route'];
      const headers = Object.fromEntries(names.map((name) => [`x-placet-${name}`, 'mine']));
      const [said] = await lab.ask('onward plainly', { certificate: await certificateFor(friend) }, [
        { headers },
      ]);
      expect(said?.verdict).toBe('allow');
      const got = [...upstream.seen.values()].at(-1) ?? {};
      expect(Object.keys(got)).toContain('x-probe');
      expect(Object.keys(got).filter((name) => name.startsWith('x-placet'))).toEqual([]);
    },
  );

  live(envoyMissing, '[AUTHZ8] killed, it lets in nobody', async () => {
    const { lab, placet } = await world();
    const certificate = await certificateFor(friend);
    const ask = async () => (await lab.ask('uris', { certificate }, [{}]))[0]?.verdict;
    expect(await ask()).toBe('allow');
    await placet.end('SIGKILL');
    expect(await ask()).toBe('deny');
    await placet.begin();
    await expect.poll(ask, { timeout: 30_000 }).toBe('allow');
  });
});
