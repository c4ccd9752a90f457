import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../../gateway/http/host.ts';
import { createServer } from '../../gateway/listen.ts';
import type { Snapshot } from '../../gateway/service.ts';
import { isTraced } from '../../gateway/trace/trace.ts';
import { exit } from '../failure.ts';
import { accessOf } from '../serve/access.ts';
import { type Address, readAddress, urlOf } from '../serve/address.ts';
import { discoveryOf } from '../serve/catalogue.ts';
import { Closing } from '../serve/closing.ts';
import { type ConfigFlags, type Configured, configured } from '../serve/config.ts';
import { boundsOf } from '../serve/config-settings.ts';
import { drain, onEnd } from '../serve/drain.ts';
import { type EnvoySide, openEnvoy } from '../serve/envoy.ts';
import { greeting } from '../serve/greeting.ts';
import { listen } from '../serve/listen.ts';
import { measureNodes } from '../serve/nodes-metrics.ts';
import { openSockets } from '../serve/open-sockets.ts';
import { openParts, type Parts } from '../serve/parts.ts';
import { supervise } from '../serve/workers.ts';
import { leavePrimary } from '../serve/workers-channel.ts';
import { showNodes } from '../serve/workers-nodes.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';

type Log = (line: string) => void;

/** One process, or several that share the port. */
export async function serve(terminal: Terminal, flags: ConfigFlags): Promise<number> {
  const read = await configured(terminal, flags, 'started');
  const { workers, drainTime, listen: where } = read.config;
  // What is wrong with it is said once.
  accessOf(read.config, readAddress(where) as Address);
  if (workers > 1 && cluster.isPrimary)
    return await supervise({ workers, deadline: drainTime * 1_000, log: logOf(terminal) });
  try {
    return await run(terminal, read);
  } finally {
    leavePrimary();
  }
}

function logOf({ err }: Terminal): Log {
  return (line) => void err.line(printable(line));
}

/** Until it is told to end, or cannot begin: either way nothing is left open that would keep the process. */
async function run(terminal: Terminal, read: Configured): Promise<number> {
  const log = logOf(terminal);
  const closing = new Closing();
  try {
    const parts = await openParts(terminal, read, closing, log);
    await listenWith(terminal, parts, closing, log);
    return exit.ok;
  } finally {
    await closing.close();
  }
}

/** Listens, and says so once it can decide. */
async function listenWith(terminal: Terminal, parts: Parts, closing: Closing, log: Log): Promise<void> {
  const { config, address, pairs, live, opened, recording } = parts;
  const server = serverOf(parts, closing, log);
  const sockets = openSockets(server);
  let envoys: EnvoySide | undefined;
  closing.add(() => envoys?.close());
  await listen(server, address);
  onEnd(() => {
    drain(server, { deadline: config.drainTime * 1_000, sockets, begin: () => live.drain() });
    void envoys?.close();
  }, recording.observer.failed);
  const closed = once(server, 'close');
  const url = urlNow(server, address, pairs !== undefined);
  if (live.current() === undefined)
    log(`listens on ${url}, and answers with 503 until the policies of the cluster have been read`);
  await Promise.race([opened, closed]);
  if (live.current() === undefined) return;
  envoys = await envoysOf(parts, log);
  // Workers after the first have nothing to add.
  if ((cluster.worker?.id ?? 1) === 1) await terminal.out.line(greetingOf(parts, url, envoys));
  await closed;
}

function serverOf({ config, rules, service, pairs }: Parts, closing: Closing, log: Log): Server {
  const server = createServer(service, {
    direct: !isTraced(),
    bounds: boundsOf(config),
    ...(pairs === undefined ? {} : { tls: pairs.first }),
    ...(rules.some(({ loopback }) => loopback === true) ? { host: isLoopbackHost } : {}),
  });
  closing.add(() => {
    server.close();
    server.closeAllConnections();
  });
  if (pairs !== undefined) closing.add(pairs.follow(server as SecureServer, log));
  return server;
}

/** Undefined: none is listened for. */
async function envoysOf(parts: Parts, log: Log): Promise<EnvoySide | undefined> {
  const { config, catalogue, recording } = parts;
  if (config.envoy === undefined) return undefined;
  const discovery = discoveryOf(catalogue, log);
  showNodes(discovery);
  measureNodes(recording.metrics, discovery);
  return await openEnvoy({ ...parts, envoy: config.envoy, discovery, log });
}

function greetingOf(parts: Parts, url: string, envoys: EnvoySide | undefined): string {
  const { address, from, shipped, live, rules, kubernetes } = parts;
  return greeting({
    url,
    address,
    policies: [...from.policies, ...(from.cluster === undefined ? [] : ['the cluster'])],
    shipped,
    overview: live.overview(),
    inventory: (live.current() as Snapshot).inventory,
    rules,
    ...(envoys === undefined ? {} : { envoys: envoys.at }),
    ...(kubernetes === undefined ? {} : { cluster: kubernetes.server }),
  });
}

function urlNow(server: Server, address: Address, secure: boolean): string {
  if (address.kind === 'socket') return `unix:${address.path}`;
  const { port } = server.address() as AddressInfo;
  return urlOf(secure ? 'https' : 'http', address.host, port);
}
