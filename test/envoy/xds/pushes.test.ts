import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { LiveCatalogue } from '../../../src/cli/serve/catalogue.ts';
import { rendering } from '../../../src/cli/serve/rendering.ts';
import { proxyOf } from '../../../src/envoy/xds/names.ts';
import { discovery } from '../../../src/envoy/xds/service.ts';
import type { Loaded } from '../../../src/policy/load.ts';
import { openNodes } from '../../bench/xds/nodes.ts';
import { both } from '../export/world.ts';
import { openGrpc } from '../grpc/open.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

const count = 24;
const few = [3, 4, 5, 6, 7];
const name = 'placet/http/http/0';
const ids = Array.from({ length: count }, (_, at) => `default/node-${at}`);
const everybody = ids.map((_, at) => at);

const dataplane = (_: unknown, at: number) => ({
  type: 'Dataplane',
  name: `node-${at}`,
  labels: { app: `app-${at}`, group: few.includes(at) ? 'few' : 'rest' },
  inbounds: [{ name: 'http', port: 80, protocol: 'http' }],
});

const targets = {
  one: { kind: 'Dataplane', labels: { app: 'app-0' } },
  few: { kind: 'Dataplane', labels: { group: 'few' } },
  all: { kind: 'Mesh' },
} as const;

/** Each policy lets somebody else in each time. */
function policies(versions: Readonly<Record<keyof typeof targets, number>>): Loaded {
  const permissions = Object.entries(versions).map(([about, version]) => ({
    type: 'MeshTrafficPermission',
    name: about,
    spec: {
      targetRef: targets[about as keyof typeof targets],
      rules: [
        { default: { allow: [{ spiffeID: { type: 'Exact', value: `spiffe://td/${about}-${version}` } }] } },
      ],
    },
  }));
  return both(...ids.map(dataplane), ...permissions).loaded;
}

/** What the service has, without its thread. */
function catalogueOf(first: Loaded) {
  let loaded = first;
  const make = rendering();
  const aside = async <T>(asked: unknown) => structuredClone(make(asked, loaded)) as T;
  const catalogue = new LiveCatalogue({ aside }, () => undefined);
  const change = (next: Loaded) => {
    loaded = next;
    catalogue.changed();
  };
  return { catalogue, change };
}

async function serve(first: Loaded) {
  const { catalogue, change } = catalogueOf(first);
  const { methods } = discovery({
    catalogue,
    onRefused: (_, names, words) => expect.unreachable(`${names}: ${words}`),
    onFailed: (_, error) => {
      throw error;
    },
  });
  const server = openGrpc({ methods });
  closing.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, change, catalogue };
}

/** Whatever else was on its way has come. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 60));

describe('pushes', () => {
  test.each(['delta', 'state of the world'] as const)(
    '[XDS4] grow with what a change concerns and not with how many there are: %s',
    async (form) => {
      const { port, change } = await serve(policies({ one: 0, few: 0, all: 0 }));
      const nodes = openNodes(port, form, ids, name);
      closing.push(() => nodes.close());
      await nodes.more(everybody);
      await quiet();
      expect(nodes.pushed).toMatchObject({ messages: count, resources: count });
      const steps = [
        [{ one: 1, few: 0, all: 0 }, [0]],
        [{ one: 1, few: 1, all: 0 }, few],
        [{ one: 2, few: 2, all: 0 }, [0, ...few]],
        [{ one: 2, few: 2, all: 1 }, everybody],
      ] as const;
      for (const [versions, concerned] of steps) {
        const [before, each] = [{ ...nodes.pushed }, [...nodes.got]];
        const there = nodes.more(concerned);
        change(policies(versions));
        await there;
        await quiet();
        expect(nodes.pushed.messages - before.messages).toBe(concerned.length);
        expect(nodes.pushed.resources - before.resources).toBe(concerned.length);
        expect(everybody.filter((at) => nodes.got[at]! > each[at]!)).toEqual([...concerned]);
      }
    },
  );

  test('[XDS11] leave nothing behind that no node has', async () => {
    const { port, change, catalogue } = await serve(policies({ one: 0, few: 0, all: 0 }));
    const nodes = openNodes(port, 'delta', ids, name);
    closing.push(() => nodes.close());
    await nodes.more(everybody);
    for (let all = 1; all <= 5; all++) {
      const there = nodes.more(everybody);
      change(policies({ one: 0, few: 0, all }));
      await there;
      // Of node 0, of the few, and of everybody else.
      expect(catalogue.kept).toBe(3);
    }
    nodes.close();
    await expect.poll(() => catalogue.kept).toBe(0);
  });

  test('[XDS1] of the same bytes one copy is kept, though many nodes ask for them at once', async () => {
    const { catalogue } = catalogueOf(policies({ one: 0, few: 0, all: 0 }));
    const rendered = await Promise.all(
      ids.map((id) => {
        const node = { id, cluster: '' };
        return catalogue.render({ ...node, proxy: proxyOf(node) }, [name]);
      }),
    );
    // Of node 0, of the few, and of everybody else.
    expect(new Set(rendered.map(([resource]) => resource?.bytes)).size).toBe(3);
  });
});
