import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Mode } from '../../../src/envoy/export/modes.ts';
import { start as startPlacet } from '../../live/service/process.ts';
import type { Authority, Certificate } from '../certificates/index.ts';
import { type Running, start } from './process.ts';

/** Envoys as `placet export envoy --mode` sets them up, and a `placet serve` that some of them ask. */

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** As an exported bootstrap looks for them in one folder. */
export function writeTls(folder: string, own: Certificate, authorities: readonly Authority[]): void {
  mkdirSync(join(folder, 'bundles'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('cert.pem', own.chain);
  write('key.pem', own.key);
  for (const { trustDomain, bundle } of authorities) write(`bundles/${trustDomain}.pem`, bundle);
}

/** What the service is told by a file; the bundles are those of `writeTls`. */
export function serveFor(
  folder: string,
  policies: string,
  authorities: readonly Authority[],
  more: Readonly<Record<string, unknown>> & { readonly envoy: { readonly listen: string } },
) {
  const file = join(folder, `placet-${process.hrtime.bigint()}.json`);
  const bundles = Object.fromEntries(
    authorities.map(({ trustDomain }) => [trustDomain, join(folder, 'bundles', `${trustDomain}.pem`)]),
  );
  writeFileSync(file, JSON.stringify({ policies: [policies], bundles, ...more }));
  return startPlacet('--config', file);
}

export interface Standing {
  readonly envoy: Running;
  readonly port: number;
}

interface Bootstrap {
  static_resources: {
    listeners: {
      address: { socket_address: { address: string; port_value: number } };
      filter_chains: unknown[];
    }[];
  };
}

/** An Envoy with what the command line prints, but for its port, and for what `change` does. */
export async function startMode(
  mode: Mode,
  words: readonly string[],
  change: (bootstrap: string) => string = (same) => same,
): Promise<Standing> {
  const all = ['export', 'envoy', '--as', 'bootstrap', '--json', '--mode', mode, ...words];
  const { stdout } = await run(process.execPath, ['src/cli/main.ts', ...all], { cwd: root });
  const bootstrap = JSON.parse(change(stdout)) as Bootstrap;
  const [listener] = bootstrap.static_resources.listeners;
  listener!.address.socket_address = {
    ...listener!.address.socket_address,
    address: '127.0.0.1',
    port_value: 0,
  };
  const envoy = await start({ bootstrap: () => bootstrap });
  const { listener_statuses } = JSON.parse(await envoy.admin('/listeners?format=json'));
  return { envoy, port: listener_statuses[0].local_address.socket_address.port_value };
}

/** What the exported listener writes of a request or connection. */
export interface Logged {
  readonly status?: number;
  readonly policy: string | null;
  readonly shadow: string | null;
  readonly shadow_policy: string | null;
}

/** The n-th line of the access log, which Envoy writes to its standard output. */
export async function logged(envoy: Running, index: number): Promise<Logged> {
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    const lines = envoy
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'));
    const line = lines[index];
    if (line !== undefined) return JSON.parse(line) as Logged;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`Envoy did not log request ${index + 1}`);
}

export interface Upstream {
  readonly port: number;
  close(): void;
}

/** Answers requests, or sends back what it gets. */
export async function upstream(kind: 'http' | 'network'): Promise<Upstream> {
  const http = createServer((request, response) => response.end(`${request.url}\n`));
  const server =
    kind === 'http' ? http : createTcpServer((socket) => socket.on('error', () => {}).pipe(socket));
  const port = await listening(server);
  return {
    port,
    close() {
      server.close();
      http.closeAllConnections();
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export async function freePort(): Promise<number> {
  const server = createTcpServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
