import { describe, expect } from 'vitest';
import * as build from '../../envoy/interpreter/build.ts';
import { live } from '../../live.ts';
import {
  type Authority,
  authority,
  brokenNames,
  type Certificate,
  dns,
  leaf,
  type San,
  selfSigned,
  svid,
  uri,
} from '../../support/certificates/index.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { acceptUntrusted, spiffeBundles, trustedCa } from '../../support/envoy/trust.ts';
import { asFilter, bothSay, labOf } from './facts.ts';

/** What Envoy takes for the name of its peer. */

type Json = Readonly<Record<string, unknown>>;
const id = 'spiffe://td/ns/a';
const kuma = 'kuma://k/v';
const allow = build.action('allow', 'ALLOW');
const deny = build.action('deny', 'DENY');
const when = (predicate: Json, then = allow, otherwise = deny) =>
  build.network({ matcher: build.list([[predicate, then]], otherwise) });
const principal = (one: Json) => build.network({ rules: build.rules({ p: [build.any, one] }) });

/** The guard that exports begin with. */
const oneId =
  'spiffe://[a-z0-9._-]{1,255}(?:/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.[A-Za-z0-9_-][A-Za-z0-9._-]*|\\.\\.[A-Za-z0-9._-]+))*';

const filters = {
  exact: when(build.single(build.uri, { exact: id })),
  'deny-exact': when(build.single(build.uri, { exact: id }), deny, allow),
  prefix: when(build.single(build.uri, { prefix: id })),
  contains: when(build.single(build.uri, { safe_regex: { google_re2: {}, regex: `(?:.*,)?${id}(?:,.*)?` } })),
  'not-prefix': when(build.not(build.single(build.uri, { prefix: id }))),
  guarded: build.network({
    matcher: build.list(
      [
        [build.not(build.single(build.uri, { safe_regex: { google_re2: {}, regex: oneId } })), deny],
        [build.single(build.uri, { prefix: id }), allow],
      ],
      deny,
    ),
  }),
  'by-name': principal(build.principalName({ exact: id })),
  'by-common-name': principal(build.principalName({ exact: `CN=${id}` })),
  anybody: principal({ authenticated: {} }),
  'not-anybody': principal({ not_id: build.principalName({ prefix: id }) }),
  'one-uri': principal(build.mtls({ exact: id })),
  'one-uri-prefix': principal(build.mtls({ prefix: `${id}/` })),
  validated: principal(build.anyMtls),
} satisfies Record<string, Json>;
type Name = keyof typeof filters;

let trusted: Promise<Authority> | undefined;
const td = () => {
  trusted ??= authority('td');
  return trusted;
};
const named = async (...sans: San[]) => leaf(await td(), { sans });
const uris = (...values: string[]) => named(...values.map(uri));

const loose = (name: Name) => `${name} loose`;
const lab = labOf(async () => {
  const home = await td();
  const other = await authority('other');
  const trust = trustedCa(home);
  const all = Object.entries(filters).map(([name, filter]) => ({
    name,
    kind: 'network' as const,
    filters: [asFilter(filter)],
    trust,
  }));
  return [
    ...all.map((spec) => ({ ...spec, certificate: false })),
    ...all.map((spec) => ({
      ...spec,
      name: `${spec.name} loose`,
      trust: acceptUntrusted(home),
      certificate: false,
    })),
    { name: 'bundles', kind: 'network' as const, filters: [], trust: spiffeBundles(home, other) },
    { name: 'one-ca', kind: 'network' as const, filters: [], trust: trustedCa(home, other) },
  ];
});
const says = async (name: Name, certificate?: Certificate) =>
  bothSay(await lab(), name, filters[name], certificate === undefined ? {} : { certificate });

describe('all URIs of a certificate are one text', () => {
  live(envoyMissing, '[FACT1] joined by commas in their order', async () => {
    expect(await says('exact', await uris(id))).toBe('allow allow');
    expect(await says('exact', await uris(id, kuma))).toBe('deny deny');
    expect(await says('prefix', await uris(id, kuma))).toBe('allow allow');
    expect(await says('prefix', await uris(kuma, id))).toBe('deny deny');
    expect(await says('contains', await uris(kuma, id))).toBe('allow allow');
  });
  live(envoyMissing, '[FACT1] a deny by exact name is passed by a second URI', async () => {
    expect(await says('deny-exact', await uris(id))).toBe('deny deny');
    expect(await says('deny-exact', await uris(id, kuma))).toBe('allow allow');
  });
  live(envoyMissing, '[FACT1] a comma inside one URI forges several', async () => {
    expect(await says('contains', await uris(`spiffe://x/y,${id}`))).toBe('allow allow');
  });
  live(envoyMissing, '[FACT2] nothing is decoded or folded', async () => {
    expect(await says('exact', await uris(`${id.slice(0, -1)}%61`))).toBe('deny deny');
    expect(await says('exact', await uris(id.replace('td', 'TD')))).toBe('deny deny');
    expect(await says('prefix', await uris(`${id}/%2e%2e/x`))).toBe('allow allow');
  });
});

describe('without a URI there is no data', () => {
  const nobodies = async () => [undefined, await named(), await named(dns(id))];
  live(envoyMissing, '[FACT3] over which every predicate is false and a negation true', async () => {
    for (const certificate of await nobodies()) {
      expect(await says('prefix', certificate)).toBe('deny deny');
      expect(await says('not-prefix', certificate)).toBe('allow allow');
    }
  });
});

describe('a guard that asks for one SPIFFE ID', () => {
  live(envoyMissing, '[FACT4] refuses all other names and lets good ones in', async () => {
    expect(await says('guarded', await uris(id))).toBe('allow allow');
    expect(await says('guarded', await uris(`${id}/sa/..b/.c/d.`))).toBe('allow allow');
    const refused = [
      [id, kuma],
      [kuma, id],
      [`${id},${id}`],
      [`${id}/../x`],
      [`${id}/%2e%2e/x`],
      [`${id}/`],
      [`${id}//x`],
      [`${id}?x`],
      [`${id}/.`],
    ];
    for (const sans of refused)
      expect(await says('guarded', await uris(...sans)), `${sans}`).toBe('deny deny');
    expect(await says('guarded')).toBe('deny deny');
  });
  live(envoyMissing, '[FACT4] whatever else is wrong with a name', async () => {
    const home = await td();
    for (const [name, make] of Object.entries(brokenNames)) {
      // What is no text of ASCII, and names of DNS and subjects, are elsewhere; a name too long is a name.
      if (/nul|line|ascii|empty-uri|too-long|id-of/.test(name)) continue;
      const certificate = await make({ home, foreign: home, id: `${id}/sa/b` });
      expect(await says('guarded', certificate), name).toBe('deny deny');
    }
  });
});

describe('principal_name', () => {
  live(envoyMissing, '[FACT5] meets any URI', async () => {
    expect(await says('by-name', await uris(kuma, id))).toBe('allow p');
    expect(await says('by-name', await uris(kuma))).toBe('deny');
  });
  live(envoyMissing, '[FACT5] and any DNS name, and the subject where there are none', async () => {
    expect(await says('by-name', await named(dns(id)))).toBe('allow p');
    expect(await says('by-name', await named(dns(id), uri(kuma)))).toBe('allow p');
    expect(await says('by-common-name', await leaf(await td(), { commonName: id }))).toBe('allow p');
  });
  live(
    envoyMissing,
    '[FACT5] "authenticated" lets in who presents nothing, and so does a negation',
    async () => {
      expect(await says('anybody')).toBe('allow p');
      expect(await says('not-anybody')).toBe('allow p');
    },
  );
});

describe('mtls_authenticated', () => {
  live(envoyMissing, '[FACT6] sees one URI at a time', async () => {
    for (const sans of [[id], [id, kuma], [kuma, id]]) {
      expect(await says('one-uri', await uris(...sans)), `${sans}`).toBe('allow p');
    }
    expect(await says('one-uri', await uris(`${id},${kuma}`))).toBe('deny');
    expect(await says('one-uri', await uris(`${kuma},${id}`))).toBe('deny');
    expect(await says('one-uri-prefix', await uris(kuma, `${id}/b`))).toBe('allow p');
  });
  live(envoyMissing, '[FACT6] is not met by DNS names, subjects, or nobody', async () => {
    expect(await says('one-uri', await named(dns(id)))).toBe('deny');
    expect(await says('one-uri', await leaf(await td(), { commonName: id }))).toBe('deny');
    expect(await says('one-uri')).toBe('deny');
    expect(await says('validated')).toBe('deny');
    expect(await says('validated', await named())).toBe('allow p');
  });
  live(envoyMissing, '[FACT7] refuses what was not validated, which all others believe', async () => {
    const certificate = await selfSigned({ sans: [uri(id)] });
    const untrusted = async (name: Name) =>
      bothSay(await lab(), loose(name), filters[name], { certificate, validated: false });
    for (const name of ['exact', 'prefix', 'guarded'] as const)
      expect(await untrusted(name)).toBe('allow allow');
    for (const name of ['by-name', 'anybody'] as const) expect(await untrusted(name)).toBe('allow p');
    for (const name of ['one-uri', 'validated'] as const) expect(await untrusted(name)).toBe('deny');
  });
});

describe('who vouches for a trust domain', () => {
  const knock = async (listener: string, certificate?: Certificate) =>
    (await (await lab()).knock(listener, certificate === undefined ? {} : { certificate })).verdict;

  live(envoyMissing, '[FACT8] with a plain CA: each of them for all names', async () => {
    expect(await knock('one-ca', await uris('spiffe://other/x'))).toBe('allow');
    expect(await knock('one-ca', await uris(id))).toBe('allow');
  });
  live(envoyMissing, '[FACT8] with one bundle per trust domain: each for its own', async () => {
    expect(await knock('bundles', await uris(id))).toBe('allow');
    expect(await knock('bundles', await svid(await authority('other'), 'spiffe://other/x'))).toBe('allow');
    expect(await knock('bundles', await uris('spiffe://other/x'))).toBe('refused');
    expect(await knock('bundles', await svid(await authority('other'), id))).toBe('refused');
    expect(await knock('bundles', await uris('spiffe://nobody/x'))).toBe('refused');
    expect(await knock('bundles', await named(dns(id)))).toBe('refused');
    expect(await knock('bundles', await selfSigned({ sans: [uri(id)] }))).toBe('refused');
    expect(await knock('bundles')).toBe('refused');
  });
  live(envoyMissing, '[FACT8] the validator looks at the first of several URIs', async () => {
    expect(await knock('bundles', await uris(id, kuma))).toBe('allow');
    expect(await knock('bundles', await uris(kuma, id))).toBe('refused');
  });
});
