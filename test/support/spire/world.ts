import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporary } from '../envoy/temporary.ts';
import { freePorts } from '../kubernetes/cluster.ts';
import { type Daemon, daemon } from '../kubernetes/daemon.ts';
import { goProgram } from '../programs/build.ts';
import { agentConfiguration, serverConfiguration } from './configuration.ts';
import { spire } from './recipe.ts';

/** A real SPIRE: a server, an agent beside it, and what happens to agents. */
export interface Spire {
  readonly trustDomain: string;
  /** The agent's Workload API. */
  readonly socket: string;
  /** The server's own command line. */
  server(...args: readonly string[]): Promise<string>;
  agent(...args: readonly string[]): Promise<string>;
  /** Whoever runs these tests gets an ID; what it gives is the entry's own name. */
  allow(spiffeId: string, ...more: readonly string[]): Promise<string>;
  deny(entry: string): Promise<void>;
  /** A bundle of a trust domain that is not the server's, as a SPIFFE bundle document. */
  federate(trustDomain: string, document: string): Promise<void>;
  startAgent(): Promise<void>;
  killAgent(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const readyWithin = 60_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The agent is not started yet. */
export async function openSpire(trustDomain: string): Promise<Spire> {
  const { folder: programs } = await goProgram(spire);
  const folder = temporary();
  const at = (...names: readonly string[]) => join(folder.path, ...names);
  const [port] = await freePorts(1);
  const places = { trustDomain, port: port ?? 0, at };
  for (const [name, text] of [
    ['server', serverConfiguration(places)],
    ['agent', agentConfiguration(places)],
  ] as const) {
    mkdirSync(at(name), { recursive: true });
    writeFileSync(at(name, 'conf'), text);
  }
  const ask = async (program: string, args: readonly string[]): Promise<string> =>
    (await run(join(programs, program), [...args])).stdout;
  const askServer = (...args: readonly string[]) =>
    ask('spire-server', [...args, '-socketPath', at('s.sock')]);

  const server = await daemon(at('server'), join(programs, 'spire-server'), [
    'run',
    '-config',
    at('server', 'conf'),
  ]);
  let agent: Daemon | undefined;
  const stop = async () => {
    await agent?.end();
    await server.end();
    folder.remove();
  };
  try {
    await ready(server, () => askServer('healthcheck'));
  } catch (error) {
    await stop();
    throw error;
  }

  const parent = `spiffe://${trustDomain}/agent`;
  let entries = 0;
  let token = '';
  return {
    trustDomain,
    socket: at('a.sock'),
    server: askServer,
    agent: (...args) => ask('spire-agent', [...args, '-socketPath', at('a.sock')]),
    async allow(spiffeId, ...more) {
      const entry = `entry-${++entries}`;
      const selector = `unix:uid:${process.getuid?.()}`;
      const who = ['-parentID', parent, '-spiffeID', spiffeId, '-selector', selector];
      await askServer('entry', 'create', '-entryID', entry, ...who, ...more);
      return entry;
    },
    async deny(entry) {
      await askServer('entry', 'delete', '-entryID', entry);
    },
    async federate(other, document) {
      const file = at(`${other}.json`);
      writeFileSync(file, document);
      await askServer('bundle', 'set', '-id', `spiffe://${other}`, '-format', 'spiffe', '-path', file);
    },
    async startAgent() {
      if (token === '') {
        const said = await askServer('token', 'generate', '-spiffeID', parent);
        token = /^Token: (\S+)/m.exec(said)?.[1] ?? '';
      }
      const args = ['run', '-config', at('agent', 'conf'), '-joinToken', token];
      agent = await daemon(at('agent'), join(programs, 'spire-agent'), args);
    },
    async killAgent() {
      await agent?.end('SIGKILL');
    },
    stop,
  };
}

async function ready(server: Daemon, ask: () => Promise<string>): Promise<void> {
  const until = performance.now() + readyWithin;
  for (;;) {
    const healthy = await ask().then(
      () => true,
      () => false,
    );
    if (healthy) return;
    if (server.ended || performance.now() > until)
      throw new Error(`the SPIRE server did not become ready:\n${server.log()}`);
    await pause(50);
  }
}
