import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, authority, svid } from '../../support/certificates/index.ts';
import { serveFor, startMode, upstream, writeTls } from '../../support/envoy/modes.ts';
import { temporary } from '../../support/envoy/temporary.ts';

export interface World {
  readonly home: Authority;
  /** In place of the policies that are there. */
  write(policies: string): void;
  /** `placet serve`, which gives out the filters. */
  serve(): Promise<Served>;
  /** An Envoy as it is exported for the dataplane, or as that is changed. */
  envoy(change?: (bootstrap: string) => string): Promise<number>;
}

export interface Served {
  readonly url: string;
  end(): Promise<void>;
}

/** A mesh `m` with the dataplane `d`, in a file of policies. What was opened is given to `closing`. */
export async function openWorld(policies: string, closing: (() => unknown)[]): Promise<World> {
  const folder = temporary();
  closing.push(() => folder.remove());
  const home = await authority('m');
  writeTls(folder.path, await svid(home, 'spiffe://m/envoy'), [home]);
  const file = join(folder.path, 'policies.yaml');
  const write = (text: string) => writeFileSync(file, text);
  write(policies);
  const listen = `unix:${folder.path}/placet`;
  const behind = await upstream('http');
  closing.push(() => behind.close());
  const wiring = ['--policies', file, '--tls', folder.path, '--upstream', `127.0.0.1:${behind.port}`];
  return {
    home,
    write,
    async serve() {
      const placet = await serveFor(folder.path, file, [home], { envoy: { listen }, log: { to: 'none' } });
      const end = async () => {
        placet.process.kill('SIGTERM');
        await placet.ended();
      };
      closing.push(end);
      return { url: placet.url, end };
    },
    async envoy(change) {
      const { envoy, port } = await startMode('xds', [...wiring, '-d', 'm/d', '--placet', listen], change);
      closing.push(() => envoy.stop());
      return port;
    },
  };
}
