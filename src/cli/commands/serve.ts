import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { X509Verifier } from '../../attributes/index.ts';
import { isLoopbackHost } from '../../gateway/http/host.ts';
import { createServer } from '../../gateway/listen.ts';
import { Metrics } from '../../gateway/metrics/metrics.ts';
import type { Service, Snapshot } from '../../gateway/service.ts';
import { isTraced } from '../../gateway/trace/trace.ts';
import { exit } from '../failure.ts';
import { accessOf } from '../serve/access.ts';
import { type Address, readAddress, urlOf } from '../serve/address.ts';
import { openBundles } from '../serve/bundles.ts';
import { callersOf } from '../serve/callers.ts';
import { discoveryOf, LiveCatalogue } from '../serve/catalogue.ts';
import { type ConfigFlags, type Configured, configured } from '../serve/config.ts';
import type { Config } from '../serve/config-schema.ts';
import { boundsOf, settingsOf } from '../serve/config-settings.ts';
import { drain, onEnd } from '../serve/drain.ts';
import { type EnvoySide, openEnvoy } from '../serve/envoy.ts';
import { evidenceReader } from '../serve/evidence.ts';
import { greeting, type Started } from '../serve/greeting.ts';
import { openKubernetes } from '../serve/kubernetes.ts';
import { listen } from '../serve/listen.ts';
import { openPolicies } from '../serve/live.ts';
import { measureNodes } from '../serve/nodes-metrics.ts';
import { openSockets } from '../serve/open-sockets.ts';
import { countsOf, openRecording, type Recording } from '../serve/recording.ts';
import type { From } from '../serve/sources.ts';
import { pairsFor } from '../serve/tls.ts';
import { supervise } from '../serve/workers.ts';
import { answerTo, gather, leavePrimary } from '../serve/workers-channel.ts';
import { openInspector } from '../serve/workers-inspector.ts';
import { showNodes } from '../serve/workers-nodes.ts';
import { openWorkload } from '../serve/workload.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';

/** Milliseconds for what waits in the log. */
const lastLines = 2_000;

/** Milliseconds that the policies of a cluster are waited for before it is listened. */
const patience = 5_000;

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

function logOf({ err }: Terminal): (line: string) => void {
  return (line) => void err.line(printable(line));
}

/** Each part of the service, and how they are put together. */
async function run(terminal: Terminal, { config, originOf }: Configured): Promise<number> {
  const log = logOf(terminal);
  const address = readAddress(config.listen) as Address;
  const rules = accessOf(config, address);
  const { bundles } = await openBundles(config);
  const workload = openWorkload(config, bundles);
  const pairs = await pairsFor(config, workload);
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: config.audiences };
  const kubernetes = await openKubernetes(config);
  let told: Recording | undefined;
  let catalogue: LiveCatalogue | undefined;
  const from = policiesFrom(config, originOf(['policies']) === 'default');
  const { live, opened } = openPolicies(from, terminal, {
    maxStaleness: config.maxStaleness * 1_000,
    others: () => [...(kubernetes?.status() ?? []), ...(workload?.status() ?? [])],
    reloaded: (event) => {
      told?.observer.reloaded?.(event);
      catalogue?.changed();
    },
  });
  kubernetes?.start();
  // A cluster may be away for long, and who asks meanwhile is to hear that.
  await Promise.race([
    opened,
    ...(from.cluster === undefined ? [] : [pause(patience, undefined, { ref: false })]),
  ]);
  const recording = openRecording(config.log, live, log, countsOf(authorities.verifier));
  told = recording;
  const inspector = openInspector(live);
  answerTo('metrics', () => recording.metrics.json());
  const evidence = {
    authorities,
    inventory: () => live.current()?.inventory,
    xfcc: config.xfcc,
    ...(kubernetes === undefined ? {} : { cluster: kubernetes.view }),
  };
  const service: Service = {
    live,
    identify: evidenceReader(evidence),
    callers: callersOf(rules, authorities, kubernetes?.review),
    observer: {
      ...recording.observer,
      decided(event) {
        recording.observer.decided(event);
        inspector.decided(event);
      },
    },
    inspector,
    metrics: async () => Metrics.page((await gather('metrics')).map(({ value }) => value as object)),
    settings: settingsOf(config),
  };
  const server = createServer(service, {
    direct: !isTraced(),
    bounds: boundsOf(config),
    ...(pairs === undefined ? {} : { tls: pairs.first }),
    ...(rules.some(({ loopback }) => loopback === true) ? { host: isLoopbackHost } : {}),
  });
  const sockets = openSockets(server);
  pairs?.follow(server as SecureServer, log);
  let envoys: EnvoySide | undefined;
  try {
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
    if (live.current() === undefined) return exit.ok;
    if (config.envoy !== undefined) {
      const callersBy = (some: Parameters<typeof callersOf>[0]) =>
        callersOf(some, authorities, kubernetes?.review);
      catalogue = new LiveCatalogue(live, log);
      const discovery = discoveryOf(catalogue, log);
      showNodes(discovery);
      measureNodes(recording.metrics, discovery);
      envoys = await openEnvoy({
        config,
        discovery,
        envoy: config.envoy,
        service,
        callersBy,
        pairs,
        log,
      });
    }
    const started: Started = {
      url,
      address,
      policies: [...from.policies, ...(from.cluster === undefined ? [] : ['the cluster'])],
      shipped: originOf(['policies']) === 'default' && from.cluster === undefined,
      overview: live.overview(),
      inventory: (live.current() as Snapshot).inventory,
      rules,
      ...(envoys === undefined ? {} : { envoys: envoys.at }),
      ...(kubernetes === undefined ? {} : { cluster: kubernetes.server }),
    };
    // Workers after the first have nothing to add.
    if ((cluster.worker?.id ?? 1) === 1) await terminal.out.line(greeting(started));
    await closed;
  } finally {
    server.close();
    server.closeAllConnections();
    // What it still answers is decided by what is live, and logged.
    await envoys?.close();
    kubernetes?.close();
    workload?.close();
    await live.close();
    await recording.close(lastLines);
  }
  return exit.ok;
}

/** Whoever has policies in a cluster has not meant those that come with Placet. */
function policiesFrom({ policies, kubernetes, maxStaleness }: Config, shipped: boolean): From {
  if (kubernetes?.policies !== true) return { policies };
  const { kubeconfig, context } = kubernetes;
  const cluster = { kubeconfig, context, maxStaleness: maxStaleness * 1_000 };
  return { policies: shipped ? [] : policies, cluster };
}

function urlNow(server: Server, address: Address, secure: boolean): string {
  if (address.kind === 'socket') return `unix:${address.path}`;
  const { port } = server.address() as AddressInfo;
  return urlOf(secure ? 'https' : 'http', address.host, port);
}
