import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askHttp } from '../../test/support/envoy/http-client.ts';
import { freePort, type Logged, logged, upstream, writeTls } from '../../test/support/envoy/modes.ts';
import { type Running, start } from '../../test/support/envoy/process.ts';
import { type Temporary, temporary } from '../../test/support/envoy/temporary.ts';
import type { Cast, Scene } from './cast.ts';

/** A real Envoy with an exported bootstrap, before a small upstream. */

const root = join(import.meta.dirname, '../..');
export const policies = 'tools/demo-envoy/policies.yaml';

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
  const orders = await upstream('http');
  let envoy: Running | undefined;
  const clear = async () => {
    await envoy?.stop();
    orders.close();
    folder.remove();
  };
  try {
    writeFiles(folder, cast);
    const port = await freePort();
    const words = [
      ...['export', 'envoy', '--policies', policies, '--dataplane', 'shop/orders-1'],
      ...['--as', 'bootstrap', '--json', '--listen', `127.0.0.1:${port}`],
      ...['--upstream', `127.0.0.1:${orders.port}`, '--tls', folder.path],
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

/** What the bootstrap reads, and beside it what each client presents. */
function writeFiles({ path }: Temporary, { home, orders, scenes }: Cast): void {
  writeTls(path, orders, [home]);
  const write = (name: string, text: string) => writeFileSync(join(path, name), text, { mode: 0o600 });
  for (const { who, certificate } of scenes) {
    if (certificate === undefined) continue;
    const name = who.replaceAll(' ', '-');
    write(`${name}.pem`, certificate.chain);
    write(`${name}-key.pem`, certificate.key);
  }
}
