import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { askHttp } from '../../test/support/envoy/http-client.ts';
import { type Running, start } from '../../test/support/envoy/process.ts';
import { type Temporary, temporary } from '../../test/support/envoy/temporary.ts';
import type { Cast, Scene } from './cast.ts';

/** A real Envoy with an exported bootstrap, before a small upstream. */

const root = join(import.meta.dirname, '../..');
export const policies = 'tools/demo-envoy/policies.yaml';

/** What the exported listener writes of each request. */
export interface Logged {
  readonly status: number;
  readonly policy: string | null;
  readonly shadow: string | null;
  readonly shadow_policy: string | null;
}

export interface Stage {
  readonly port: number;
  /** The folder with certificates and keys. */
  readonly folder: string;
  readonly command: string;
  readonly bytes: number;
  /** Undefined: the handshake was refused. */
  play(scene: Scene): Promise<Logged | undefined>;
  clear(): Promise<void>;
}

export async function raise(cast: Cast): Promise<Stage> {
  const folder = temporary();
  const upstream = createServer((request, response) => response.end(`orders: ${request.url}\n`));
  let envoy: Running | undefined;
  const clear = async () => {
    await envoy?.stop();
    upstream.close();
    upstream.closeAllConnections();
    folder.remove();
  };
  try {
    writeFiles(folder, cast);
    const port = await freePort();
    const words = [
      ...['export', 'envoy', '--policies', policies, '--dataplane', 'shop/orders-1'],
      ...['--as', 'bootstrap', '--json', '--listen', `127.0.0.1:${port}`],
      ...['--upstream', `127.0.0.1:${await listen(upstream)}`, '--tls', folder.path],
    ];
    const json = execFileSync(process.execPath, ['src/cli/main.ts', ...words], {
      cwd: root,
      encoding: 'utf8',
    });
    envoy = await start({ bootstrap: () => JSON.parse(json) as object });
    const running = envoy;
    let seen = 0;
    const play = async (scene: Scene) => {
      const peer = scene.certificate === undefined ? {} : { certificate: scene.certificate };
      const { method, path } = scene;
      const codes = await askHttp({ port }, peer, [{ id: `${seen}`, method, path }]);
      return codes === undefined ? undefined : await logged(running, seen++);
    };
    return {
      port,
      folder: folder.path,
      command: `placet ${words.slice(0, 8).join(' ')}`,
      bytes: json.length,
      play,
      clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** As an exported bootstrap looks for them in one folder; beside them what each client presents. */
function writeFiles({ path }: Temporary, { home, orders, scenes }: Cast): void {
  mkdirSync(join(path, 'bundles'));
  const write = (name: string, text: string) => writeFileSync(join(path, name), text, { mode: 0o600 });
  write('cert.pem', orders.chain);
  write('key.pem', orders.key);
  write('bundles/shop.mesh.pem', home.bundle);
  for (const { who, certificate } of scenes) {
    if (certificate === undefined) continue;
    const name = who.replaceAll(' ', '-');
    write(`${name}.pem`, certificate.chain);
    write(`${name}-key.pem`, certificate.key);
  }
}

/** The n-th line of the access log, which Envoy writes to its standard output. */
async function logged(envoy: Running, index: number): Promise<Logged> {
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

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
