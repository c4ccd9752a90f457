import { afterEach, describe, expect, test } from 'vitest';
import type { EnvoyPage } from '../../../src/gateway/inspect/envoys.ts';
import { typeUrl, world } from '../../envoy/xds/talk.ts';
import { live } from '../../live.ts';
import { openLab } from '../../support/envoy/lab.ts';
import { type Filter, grpcCluster } from '../../support/envoy/listeners.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { clientOf } from '../service/grpc.ts';
import { type Serving, serveShop, td } from './authz/world.ts';

/** What `placet serve` writes of a node that does not take what it was sent. */

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(): Promise<Serving> {
  const placet = await serveShop({}, { log: { to: 'none' } });
  closing.push(() => placet.close());
  return placet;
}

async function refusedWords({ httpPort }: Serving): Promise<string | undefined> {
  const reply = await fetch(`http://127.0.0.1:${httpPort()}/envoys?state=refused`);
  return ((await reply.json()) as EnvoyPage).envoys[0]?.lastRefusal?.words;
}

const name = 'placet/http/http/0';

describe('a refusal in the log', () => {
  live(envoyMissing, '[XDS5] [XDS10] a line has the node, the resource and Envoy’s own words', async () => {
    const placet = await serve();
    // It wants the filter of this name to be something else than it is.
    const wanted = 'envoy.extensions.filters.http.set_metadata.v3.Config';
    const filter = {
      name,
      config_discovery: {
        config_source: { ads: {}, resource_api_version: 'V3' },
        type_urls: [`type.googleapis.com/${wanted}`],
      },
    } as unknown as Filter;
    const lab = await openLab(
      [{ name: 'web', kind: 'http', filters: [filter], trust: spiffeBundles(await td()) }],
      {
        clusters: [grpcCluster('placet', placet.port)],
        node: 'default/web-1',
        discovery: { cluster: 'placet', form: 'GRPC' },
      },
    );
    closing.push(() => lab.stop());
    const line = await placet.said(/^xds: .* refuses /);
    const [head, words] = [
      `xds: default/web-1 refuses ${name}: `,
      line.slice(line.indexOf(`${name}: `) + name.length + 2),
    ];
    expect(line).toBe(head + words);
    expect(words).toContain('envoy.extensions.filters.http.rbac.v3.RBAC');
    expect(words).toContain(wanted);
    await expect.poll(() => refusedWords(placet), { timeout: 20_000 }).toBe(words);
    // As Envoy says them itself.
    expect(lab.envoy.log()).toContain(words);
  });

  test('[XDS5] words that are made up stay one line, and are no more than words', async () => {
    const placet = await serve();
    const client = clientOf(placet.port);
    closing.push(() => client.close());
    const talk = world(client);
    talk.say({ node: { id: 'default/web-1', cluster: '' }, typeUrl, resourceNames: [name] });
    const { nonce } = await talk.next();
    const message = 'no\nxds: default/other refuses all: \u001b[2Jyes';
    talk.say({ typeUrl, resourceNames: [name], responseNonce: nonce, errorDetail: { message } });
    const line = await placet.said(/^xds: default\/web-1 refuses /);
    expect(line).toMatch(
      /^xds: default\/web-1 refuses placet\/http\/http\/0: no.*default\/other refuses all.*yes$/,
    );
    expect(line).not.toContain('\u001b');
    expect(await refusedWords(placet)).toBe(message);
  });
});
