import { mkdtempSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { logSchema } from '../../../src/cli/serve/config-log.ts';
import { openRecording } from '../../../src/cli/serve/recording.ts';
import { createServer } from '../../../src/gateway/listen.ts';
import type { Live, Observer, Service } from '../../../src/gateway/service.ts';
import { roles } from '../../../src/pdp/model/request.ts';
import { bounds, settings } from '../../gateway/given.ts';
import { snapshotOf } from '../placet.ts';
import { generators } from '../workloads/index.ts';

/** One server of one sort in a process of its own, on the port that it prints. */
const [sort, size, reply] = process.argv.slice(2) as [string, string, string];

if (sort === 'node') {
  const server = createPlain((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length });
      outgoing.end(body === null ? '' : reply);
    });
  });
  tell(server.listen(0, '127.0.0.1'));
} else if (sort === 'hono') {
  const app = new Hono();
  app.post('/decide', async (c) => {
    const body = (await c.req.json()) as unknown;
    return c.body(body === null ? '' : reply, 200, { 'content-type': 'application/json' });
  });
  tell(createAdaptorServer({ fetch: app.fetch }).listen(0, '127.0.0.1'));
} else {
  const snapshot = snapshotOf(generators.A(Number(size), 0).documents);
  const caller = { name: 'loopback', roles: new Set(roles) };
  const live: Live = {
    current: () => snapshot,
    explain: () => Promise.reject(new Error('not here')),
    readiness: () => ({ ready: true, sources: [] }),
  };
  const observer = observerOf(live);
  const service: Service = {
    live,
    identify: () => ({ source: {}, conflicts: [], refused: [] }),
    callers: { caller: () => caller },
    observer,
    settings,
  };
  // Whoever else is on the machine makes turns long; nothing is to be turned away here.
  const patient = { ...bounds, turn: 60_000 };
  tell(createServer(service, { direct: sort !== 'through', bounds: patient }).listen(0, '127.0.0.1'));
}

/** `direct` has the metrics and the log of the default configuration, `logged` writes every decision down. */
function observerOf(live: Live): Observer {
  if (sort === 'through') return { decided() {}, shed() {} };
  const file = join(mkdtempSync(join(tmpdir(), 'placet-log-')), 'decisions.log');
  const everything = { allows: 1, denies: 1, perSecond: 1_000_000 };
  const log = logSchema.parse({ to: 'file', file, ...(sort === 'logged' ? everything : {}) });
  return openRecording(log, live, () => undefined).observer;
}

function tell(server: { on(event: 'listening', then: () => void): unknown; address(): unknown }): void {
  server.on('listening', () => console.log((server.address() as { port: number }).port));
}
