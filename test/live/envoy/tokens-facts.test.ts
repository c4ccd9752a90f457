import { connect } from 'node:tls';
import { describe, expect } from 'vitest';
import { isText } from '../../../src/envoy/export/exchange/token.ts';
import { predicate } from '../../../src/envoy/export/predicate.ts';
import type { Filter } from '../../../src/envoy/export/types.ts';
import { both } from '../../envoy/export/world.ts';
import { action, http } from '../../envoy/interpreter/build.ts';
import { destination, peerDocument, placesWith } from '../../envoy/verify/token-world.ts';
import { live } from '../../live.ts';
import { type Authority, authority, type Certificate, svid } from '../../support/certificates/index.ts';
import { type Lab, openLab } from '../../support/envoy/lab.ts';
import { bootstrapOf, socketOf } from '../../support/envoy/listeners.ts';
import { envoyMissing, validate } from '../../support/envoy/program.ts';
import { trustedCa } from '../../support/envoy/trust.ts';
import { type Claims, signed, signingKey, thumbprintOf } from '../../support/tokens.ts';

/** What exports with tokens build on, and why they do not build on less. */

const key = signingKey('k', 'ES256');
const gateway = 'spiffe://us-1.example/gateway';
const everybody = {
  type: 'AccessPolicy',
  namespace: 'shop',
  name: 'all',
  spec: { action: 'allow', from: [{ workloadSelector: {} }], to: [{ workloadSelector: {} }] },
};

interface World {
  readonly lab: Lab;
  readonly root: Authority;
  readonly own: Certificate;
  readonly token: (more?: Claims) => string;
}

async function withLab(
  change: (filters: readonly Filter[]) => readonly Filter[],
  work: (world: World) => Promise<void>,
) {
  const places = placesWith([peerDocument('us-1', [key.jwk], 'observed')]);
  const { filters } = both(...places, everybody).exporter.export(destination, { attributes: 'jwt' });
  const root = await authority('us-1.example');
  const own = await svid(root, gateway);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: gateway,
    aud: 'spiffe://here.example/gateway',
    iat: now,
    exp: now + 60,
    jti: 'x',
    export: 'shop/pay',
    attributes: {},
    trust: {},
    cnf: { 'x5t#S256': thumbprintOf(own) },
  };
  const lab = await openLab([
    { name: 'a', kind: 'http', filters: change(filters), trust: trustedCa(root), resumes: true },
  ]);
  try {
    await work({ lab, root, own, token: (more = {}) => signed(key, { ...claims, ...more }) });
  } finally {
    await lab.stop();
  }
}

const status = async ({ lab, own }: World, token: string) =>
  (await lab.ask('a', { certificate: own }, [{ headers: { 'x-placet-token': token } }]))[0]?.status;

describe('tokens in a real Envoy', () => {
  live(envoyMissing, '[FACT17] jwt_authn takes other spellings of an audience, and lists', async () => {
    await withLab(
      (filters) => filters.slice(0, 1),
      async (world) => {
        const aud = 'spiffe://here.example/gateway';
        for (const taken of [aud, `${aud}/`, `https://${aud}`, `http://${aud}`, ['x', aud]])
          expect(await status(world, world.token({ aud: taken })), String(taken)).toBe(200);
        for (const refused of [`${aud}/x`, 'x', `${aud}//`.slice(1)])
          expect(await status(world, world.token({ aud: refused })), refused).toBe(403);
      },
    );
  });

  live(envoyMissing, '[FACT18] over metadata a regular expression may only be small', async () => {
    const root = await authority('us-1.example');
    const own = await svid(root, gateway);
    const matching = (value: string) =>
      validate((folder) =>
        bootstrapOf(
          [
            {
              name: 'a',
              kind: 'http',
              trust: trustedCa(root),
              filters: [
                http({
                  matcher: {
                    matcher_list: {
                      matchers: [
                        {
                          predicate: predicate({ ...isText(['sub']), value }),
                          on_match: action('a', 'ALLOW'),
                        },
                      ],
                    },
                  },
                }) as never,
              ],
            },
          ],
          folder,
          own,
        ),
      );
    expect(matching('[\\s\\S]*')).toBeUndefined();
    expect(matching('[a-z]{1,255}')).toContain('max program size');
  });

  live(
    envoyMissing,
    '[FACT19] a filter in Lua that fails lets the request go on, without its word',
    async () => {
      const failing = (filters: readonly Filter[]) =>
        filters.map((filter) =>
          filter.name.endsWith('.lua')
            ? JSON.parse(
                JSON.stringify(filter, (name, value) =>
                  name === 'inline_string' ? 'function envoy_on_request(handle) error("x") end' : value,
                ),
              )
            : filter,
        );
      await withLab(
        (filters) => failing(filters).slice(0, 2),
        async (world) => expect(await status(world, world.token())).toBe(200),
      );
      await withLab(failing, async (world) => expect(await status(world, world.token())).toBe(403));
      await withLab(
        (filters) => filters,
        async (world) => expect(await status(world, world.token())).toBe(200),
      );
    },
  );

  live(envoyMissing, '[FACT20] a session that is resumed keeps the hash of its certificate', async () => {
    await withLab(
      (filters) => filters,
      async ({ lab, own, root, token }) => {
        const other = await svid(root, gateway);
        const ask = (who: Certificate, session?: Buffer) => askOver(lab, who, token(), session);
        for (const [who, wanted] of [
          [own, '200'],
          [other, '403'],
        ] as const) {
          const first = await ask(who);
          const again = await ask(who, first.session);
          expect([first.reused, first.code, again.reused, again.code]).toEqual([false, wanted, true, wanted]);
        }
        // Whatever is presented beside it, a session is that of the certificate it began with.
        const { session } = await ask(other);
        expect((await ask(own, session)).code).toBe('403');
      },
    );
  });
});

interface Answer {
  readonly code: string;
  readonly reused: boolean;
  readonly session: Buffer;
}

function askOver(
  lab: Lab,
  { chain, key: pem }: Certificate,
  token: string,
  session?: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let ticket = session;
    let code: string | undefined;
    const socket = connect({
      path: socketOf(lab.envoy.folder, 0),
      cert: chain,
      key: pem,
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
      ...(session === undefined ? {} : { session }),
    });
    const end = () => {
      if (ticket === undefined || code === undefined) return;
      resolve({ code, reused: socket.isSessionReused(), session: ticket });
      socket.destroy();
    };
    socket.once('secureConnect', () =>
      socket.write(`GET / HTTP/1.1\r\nhost: a\r\nx-placet-token: ${token}\r\n\r\n`),
    );
    socket.on('session', (given: Buffer) => {
      ticket = given;
      end();
    });
    socket.once('data', (data: Buffer) => {
      code = data.toString('latin1', 9, 12);
      end();
    });
    socket.once('error', reject);
  });
}
