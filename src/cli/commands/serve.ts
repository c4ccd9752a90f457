import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from '../../gateway/listen.ts';
import type { Service } from '../../gateway/service.ts';
import { roles } from '../../pdp/model/request.ts';
import { engineOf } from '../engine.ts';
import { placeOf, ruleFinder, soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';

export interface ServeFlags {
  readonly policies?: readonly string[];
  readonly listen?: string;
}

export async function serve(terminal: Terminal, flags: ServeFlags): Promise<number> {
  const set = await soundSet(flags.policies, terminal);
  const engine = engineOf(set);
  const find = ruleFinder(set);
  const snapshot = {
    name: engine.snapshot,
    since: Date.now(),
    inventory: set.loaded.inventory,
    decide: engine.decide,
    placeOf: (by: Parameters<typeof find>[0]) => {
      const rule = find(by);
      return rule === undefined ? undefined : placeOf(set, rule);
    },
  };
  const service: Service = {
    live: {
      current: () => snapshot,
      explain: async (request, channel) => engine.explain(request, channel),
      readiness: () => ({ ready: true, sources: [] }),
    },
    identify: () => ({ source: {}, conflicts: [], refused: [] }),
    callers: { caller: () => ({ name: 'loopback', roles: new Set(roles) }) },
    observer: { decided() {}, shed() {} },
    settings: { ttl: 5, bodyBytes: 1_048_576 },
  };
  const server = createServer(service);
  server.listen(8420, '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  await terminal.out.line(`placet listens on http://${address}:${port}`);
  await once(server, 'close');
  return 0;
}
