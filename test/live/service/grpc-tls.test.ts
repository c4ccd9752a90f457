import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Authority,
  authority,
  type Certificate,
  selfSigned,
  svid,
  uri,
} from '../../support/certificates/index.ts';
import { certificateFor, friend, type Serving, serveShop, stranger, td, web } from '../envoy/authz/world.ts';
import { check, clientOf, question, tlsOf } from './grpc.ts';

/** Who may ask the port of Envoys over TLS, which takes every certificate: who it is of is our own business. */

const proxy = 'spiffe://td.example/ns/shop/sa/proxy';
const viewer = 'spiffe://td.example/ns/shop/sa/viewer';

let placet: Serving;
/** Nothing of ours is by the authorities that clients are by: OpenSSL mixes up those of one name in the client, too. */
let server: Authority;
beforeAll(async () => {
  server = await authority('server.example');
  const own = await svid(server, 'spiffe://server.example/placet');
  const callers = [
    { spiffeId: proxy, roles: ['decide', 'relay'] },
    { spiffeId: viewer, roles: ['explain'] },
  ];
  placet = await serveShop({}, { callers, log: { to: 'none' } }, { tls: own });
});
afterAll(() => placet.close());

async function ask(certificate: Certificate | undefined, about = friend): Promise<readonly unknown[]> {
  const client = clientOf(placet.port, tlsOf(server.bundle, certificate));
  try {
    return await check(client, question(web, await certificateFor(about)));
  } finally {
    client.close();
  }
}

const nobody = 'want a client certificate of a caller that the configuration names';
const nothing = (id: string) => `got ${id}, want a caller to whom the configuration gives the role decide`;
const refused = (code: string) => expect.stringMatching(`^the client certificate is refused \\(${code}\\): `);

describe('the port of Envoys over TLS', () => {
  test('[CALL1] [CALL5] a caller that is named is answered about its clients', async () => {
    const certificate = await certificateFor(proxy);
    expect(await ask(certificate)).toEqual([0, 0, 'rule']);
    expect(await ask(certificate, stranger)).toEqual([0, 7, 'default']);
  });

  test.each<[string, () => Promise<Certificate> | undefined, readonly unknown[]]>([
    ['no certificate', () => undefined, [16, nobody]],
    ['one of nobody that is named', () => certificateFor(stranger), [7, nothing(stranger)]],
    ['one of a caller with another role', () => certificateFor(viewer), [7, nothing(viewer)]],
    [
      'one by another authority of the same name',
      async () => svid(await authority('td.example', { generation: 1 }), proxy),
      [16, refused('signature')],
    ],
    [
      'one by the authority of another trust domain',
      async () => svid(await authority('other.example'), proxy),
      [16, refused('unknown-authority')],
    ],
    ['one by nobody', () => selfSigned({ sans: [uri(proxy)] }), [16, refused('unknown-authority')]],
    [
      'one that is over',
      async () => svid(await td(), proxy, { validity: 'expired' }),
      [16, refused('expired')],
    ],
    [
      'one that is not yet',
      async () => svid(await td(), proxy, { validity: 'not-yet' }),
      [16, refused('not-yet-valid')],
    ],
  ])('[CALL1] [CALL5] nobody else is: %s', async (_, certificate, expected) => {
    const certificates = certificate();
    expect(await ask(await certificates)).toEqual(expected);
    expect(await ask(await certificateFor(proxy))).toEqual([0, 0, 'rule']);
  });

  test('[CALL6] nor who does not speak TLS', async () => {
    const client = clientOf(placet.port, credentials.createInsecure());
    expect((await check(client, question(web)))[0]).toBe(14);
    client.close();
  });
});
