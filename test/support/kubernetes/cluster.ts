import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporary } from '../envoy/temporary.ts';
import { goProgram } from '../programs/build.ts';
import { type TestClient, testClient } from './client.ts';
import { type Daemon, daemon } from './daemon.ts';
import { etcd, kubeApiserver } from './programs/recipes.ts';

/** A real API server with its etcd, in a folder of its own, and what happens to such servers. */
export interface TestCluster {
  readonly server: string;
  /** Of etcd itself, which also speaks JSON over HTTP. */
  readonly store: string;
  /** What administrators see. */
  readonly api: TestClient;
  /** A kubeconfig file for a user, of this server or of somebody on the way to it. */
  kubeconfig(user?: string, server?: string): string;
  client(user: string): TestClient;
  /** What the server proves itself with, for those who stand in for it. */
  identity(): { readonly key: Buffer; readonly certificate: Buffer };
  readonly apiserver: Servant;
  readonly etcd: Servant;
  /** Keeps what etcd has now; calling what it gives puts that back. Both are stopped and started for it. */
  backup(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export interface Servant {
  kill(): Promise<void>;
  /** Until it serves. */
  start(): Promise<void>;
  /** Stands still, and goes on. */
  pause(): void;
  resume(): void;
}

export interface ClusterShape {
  /** Users beside `admin`, who may do nothing until they are allowed to. */
  readonly users?: readonly string[];
  /** Further arguments of the API server. */
  readonly args?: readonly string[];
}

const readyWithin = 60_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const tokenOf = (user: string) => `token-of-${user}`;

export async function openCluster({ users = [], args = [] }: ClusterShape = {}): Promise<TestCluster> {
  const folder = temporary();
  const at: At = (...names) => join(folder.path, 'apiserver', ...names);
  const data = join(folder.path, 'etcd', 'data');
  const [store, storePeer, secure] = await freePorts(3);
  const server = `https://127.0.0.1:${secure}`;
  const storeUrl = `http://127.0.0.1:${store}`;
  writeKeys(at, users);
  const api = () =>
    testClient({ server, ca: readFileSync(at('certs', 'apiserver.crt')), token: tokenOf('admin') });

  const etcdServant = await servant(
    etcd,
    join(folder.path, 'etcd'),
    etcdArgs(data, storeUrl, storePeer!),
    async () => {
      const answer = await fetch(`${storeUrl}/health`);
      return (await answer.text()).includes('"true"');
    },
  );
  const apiserver = await servant(
    kubeApiserver,
    at(),
    [...apiserverArgs(at, storeUrl, secure!), ...args],
    // Listing is what is needed: just after a start it can be refused while /readyz is content.
    async () => (await api().get('/api/v1/namespaces/kube-system')) !== undefined,
  );
  const stop = async () => {
    await apiserver.kill();
    await etcdServant.kill();
    folder.remove();
  };
  try {
    await etcdServant.start();
    await apiserver.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    server,
    store: storeUrl,
    api: api(),
    client: (user) =>
      testClient({ server, ca: readFileSync(at('certs', 'apiserver.crt')), token: tokenOf(user) }),
    identity: () => ({
      key: readFileSync(at('certs', 'apiserver.key')),
      certificate: readFileSync(at('certs', 'apiserver.crt')),
    }),
    kubeconfig: (user = 'admin', to = server) => writeKubeconfig(at, user, to),
    apiserver,
    etcd: etcdServant,
    async backup() {
      const swap = async (from: string, to: string) => {
        await apiserver.kill();
        await etcdServant.kill();
        rmSync(to, { recursive: true, force: true });
        cpSync(from, to, { recursive: true });
        await etcdServant.start();
        await apiserver.start();
      };
      const kept = join(folder.path, 'etcd', 'kept');
      await swap(data, kept);
      return () => swap(kept, data);
    },
    stop,
  };
}

async function servant(
  recipe: typeof etcd,
  folder: string,
  args: readonly string[],
  ready: () => Promise<boolean>,
): Promise<Servant> {
  const program = join((await goProgram(recipe)).folder, recipe.name);
  let running: Daemon | undefined;
  return {
    async kill() {
      running?.signal('SIGCONT');
      await running?.end();
      running = undefined;
    },
    async start() {
      running = await daemon(folder, program, args);
      const until = performance.now() + readyWithin;
      while (!(await ready().catch(() => false))) {
        if (running.ended || performance.now() > until)
          throw new Error(`${recipe.name} did not become ready\n${running.log()}`);
        await pause(50);
      }
    },
    pause: () => running?.signal('SIGSTOP'),
    resume: () => running?.signal('SIGCONT'),
  };
}

function etcdArgs(data: string, url: string, peerPort: number): string[] {
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    ...['--name', 't', '--data-dir', data, '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `t=${peer}`],
  ];
}

type At = (...names: string[]) => string;

function apiserverArgs(at: At, store: string, port: number): string[] {
  return [
    `--etcd-servers=${store}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${at('certs')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--endpoint-reconciler-type=none',
  ];
}

function writeKeys(at: At, users: readonly string[]): void {
  mkdirSync(at('certs'), { recursive: true });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  writeFileSync(at('sa.key'), privateKey, { mode: 0o600 });
  writeFileSync(at('sa.pub'), publicKey);
  const admin = `${tokenOf('admin')},admin,u-admin,"system:masters"`;
  const others = users.map((user) => `${tokenOf(user)},${user},u-${user}`);
  writeFileSync(at('tokens.csv'), `${[admin, ...others].join('\n')}\n`);
}

/** JSON, which YAML can read. */
function writeKubeconfig(at: At, user: string, server: string): string {
  const file = at(`kubeconfig-${user}-${new URL(server).port}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': at('certs', 'apiserver.crt') } }],
    users: [{ name: user, user: { token: tokenOf(user) } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    'current-context': 'test',
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** They are free now; that nobody else takes them meanwhile is only likely. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = servers.map(
    (server) =>
      new Promise<number>((resolve, reject) => {
        server.on('error', reject).listen(0, '127.0.0.1', () => {
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : 0);
        });
      }),
  );
  const found = await Promise.all(ports);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return found;
}
