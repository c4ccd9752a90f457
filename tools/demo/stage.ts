import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Mode, modes } from '../../src/envoy/export/modes.ts';
import { askHttp } from '../../test/support/envoy/http-client.ts';
import {
  logged,
  type Standing,
  serveFor,
  startMode,
  upstream,
  writeTls,
} from '../../test/support/envoy/modes.ts';
import { temporary } from '../../test/support/envoy/temporary.ts';
import type { Cast, Scene } from '../demo-envoy/cast.ts';

/** A service, what keeps files up to date, and three Envoys before one upstream. */

const root = join(import.meta.dirname, '../..');
const asked = { mesh: 'shop', dataplane: 'orders-1', inbound: 'http' };

/** `refused`: by the handshake, before anybody decided. */
export interface Verdict {
  readonly verdict: 'allow' | 'deny' | 'refused';
  readonly shadow: string;
}

export interface Outcome {
  readonly pdp: Verdict & { readonly by: string };
  readonly envoys: Readonly<Record<Mode, Verdict>>;
}

export interface Stage {
  /** To be edited. */
  readonly policies: string;
  play(scene: Scene): Promise<Outcome>;
  /** What the service and the exporter say from now on. */
  onLine(heard: (line: string) => void): void;
  clear(): Promise<void>;
}

export async function raise({ home, orders }: Cast): Promise<Stage> {
  const folder = temporary();
  const clearing: (() => unknown)[] = [() => folder.remove()];
  const clear = async () => {
    for (const one of clearing.splice(0).reverse()) await one();
  };
  try {
    writeTls(folder.path, orders, [home]);
    const [at, policies, files] = [
      join(folder.path, 'placet'),
      join(folder.path, 'policies'),
      join(folder.path, 'ecds'),
    ];
    mkdirSync(policies);
    copyFileSync(join(import.meta.dirname, '../demo-envoy/policies.yaml'), join(policies, 'policies.yaml'));
    const placet = await serveFor(folder.path, policies, [home], { envoy: { listen: `unix:${at}` } });
    clearing.push(async () => {
      placet.process.kill('SIGTERM');
      await placet.ended();
    });
    const words = ['--policies', policies, '-d', 'shop/orders-1', '--inbound', 'http'];
    const watching = await watch([...words, '--as', 'ecds', '--out', files, '--watch']);
    clearing.push(async () => {
      const ended = watching.exitCode === null && watching.signalCode === null && once(watching, 'exit');
      watching.kill('SIGTERM');
      await ended;
    });
    const behind = await upstream('http');
    clearing.push(() => behind.close());
    const wiring = [...words, '--tls', folder.path, '--upstream', `127.0.0.1:${behind.port}`];
    const standing = await Promise.all(
      modes.map(async (mode) => {
        const asking = mode === 'native' ? [] : ['--placet', `unix:${at}`];
        const change = mode === 'native' ? (text: string) => fromFile(text, files) : undefined;
        const made = await startMode(mode, [...wiring, ...asking], change);
        clearing.push(() => made.envoy.stop());
        return [mode, made] as const;
      }),
    );
    const players = standing.map(([mode, made]) => [mode, player(made)] as const);
    return {
      policies: join(policies, 'policies.yaml'),
      async play(scene) {
        const envoys = players.map(async ([mode, play]) => [mode, await play(scene)] as const);
        const [pdp, ...others] = await Promise.all([decide(placet.url, scene), ...envoys]);
        return { pdp, envoys: Object.fromEntries(others) as Record<Mode, Verdict> };
      },
      onLine(heard) {
        for (const { stderr } of [placet.process, watching])
          if (stderr !== null) createInterface(stderr).on('line', heard);
      },
      clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** Resolves once the files are there. */
async function watch(words: readonly string[]) {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'export', 'envoy', ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`placet export envoy --watch ended with ${code}`);
  });
  ended.catch(() => undefined);
  await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  return child;
}

interface Bootstrap {
  static_resources: {
    listeners: { filter_chains: { filters: { typed_config: { http_filters: { name: string }[] } }[] }[] }[];
  };
}

/** RBAC out of the file that is kept up to date, in the place of what is written into the bootstrap. */
function fromFile(text: string, folder: string): string {
  const bootstrap = JSON.parse(text) as Bootstrap;
  const { http_filters } =
    bootstrap.static_resources.listeners[0]!.filter_chains[0]!.filters[0]!.typed_config;
  const [{ name }] = http_filters as [{ name: string }];
  const discovered = {
    name,
    config_discovery: {
      config_source: {
        path_config_source: {
          path: join(folder, 'shop_orders-1_http.yaml'),
          watched_directory: { path: folder },
        },
        resource_api_version: 'V3',
      },
      type_urls: ['type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC'],
    },
  };
  http_filters[0] = discovered;
  // Without a name it discovers nothing.
  return JSON.stringify({ node: { id: 'demo', cluster: 'demo' }, ...bootstrap });
}

function player({ envoy, port }: Standing): (scene: Scene) => Promise<Verdict> {
  let requests = 0;
  return async ({ certificate, method, path }) => {
    const peer = certificate === undefined ? {} : { certificate };
    const codes = await askHttp({ port }, peer, [{ id: '', method, path }]);
    if (codes === undefined) return { verdict: 'refused', shadow: 'deny' };
    const verdict = codes[0] === 200 ? 'allow' : 'deny';
    const { shadow } = await logged(envoy, requests++);
    // RBAC says "denied", and nothing where both worlds are one.
    return { verdict, shadow: shadow === null ? verdict : shadow.startsWith('allow') ? 'allow' : 'deny' };
  };
}

interface Answer {
  readonly decision: 'allow' | 'deny';
  readonly shadow: string;
  readonly by: { readonly policy: string } | null;
  readonly reason: string;
}

/** The service asked itself, with the certificate that Envoy would be shown. */
async function decide(url: string, { certificate, method, path }: Scene): Promise<Outcome['pdp']> {
  const source = certificate === undefined ? {} : { source: { certificate: certificate.chain } };
  const response = await fetch(`${url}/decide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...source, destination: asked, request: { method, path } }),
  });
  if (!response.ok) throw new Error(`the service answers ${response.status}: ${await response.text()}`);
  const { decision, shadow, by, reason } = (await response.json()) as Answer;
  return { verdict: decision, shadow, by: by?.policy ?? reason };
}
