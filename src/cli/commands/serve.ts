import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
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
import { type ConfigFlags, configured } from '../serve/config.ts';
import { boundsOf, settingsOf } from '../serve/config-settings.ts';
import { type EnvoySide, openEnvoy } from '../serve/envoy.ts';
import { evidenceReader } from '../serve/evidence.ts';
import { greeting } from '../serve/greeting.ts';
import { listen } from '../serve/listen.ts';
import { openPolicies } from '../serve/live.ts';
import { openRecording } from '../serve/recording.ts';
import { followPair, openPair } from '../serve/tls.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';

/** Milliseconds for what waits in the log. */
const lastLines = 2_000;

/** Each part of the service, and how they are put together. */
export async function serve(terminal: Terminal, flags: ConfigFlags): Promise<number> {
  const { config, originOf } = await configured(terminal, flags);
  const log = (line: string): void => void terminal.err.line(printable(line));
  const address = readAddress(config.listen) as Address;
  const rules = accessOf(config, address);
  const pair = config.tls === undefined ? undefined : openPair(config.tls);
  const { bundles } = await openBundles(config);
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: config.audiences };
  const live = await openPolicies({ policies: config.policies }, terminal, {
    maxStaleness: config.maxStaleness * 1_000,
  });
  const recording = openRecording(config.log, live, log);
  const service: Service = {
    live,
    identify: evidenceReader({
      authorities,
      inventory: () => live.current()?.inventory,
      xfcc: config.xfcc,
    }),
    callers: callersOf(rules, authorities),
    observer: recording.observer,
    metrics: async () => Metrics.page([await recording.metrics.json()]),
    settings: settingsOf(config),
  };
  const server = createServer(service, {
    direct: !isTraced(),
    bounds: boundsOf(config),
    ...(pair === undefined ? {} : { tls: pair }),
    ...(rules.some(({ loopback }) => loopback === true) ? { host: isLoopbackHost } : {}),
  });
  if (config.tls !== undefined && pair !== undefined)
    followPair(config.tls, pair, server as SecureServer, log);
  let envoys: EnvoySide | undefined;
  try {
    await listen(server, address);
    if (config.envoy !== undefined) {
      const callersBy = (some: Parameters<typeof callersOf>[0]) => callersOf(some, authorities);
      envoys = await openEnvoy({ config, envoy: config.envoy, service, callersBy, pair, log });
    }
    await terminal.out.line(
      greeting({
        url: urlNow(server, address, pair !== undefined),
        address,
        policies: config.policies,
        shipped: originOf(['policies']) === 'default',
        overview: live.overview(),
        inventory: (live.current() as Snapshot).inventory,
        rules,
        ...(envoys === undefined ? {} : { envoys: envoys.at }),
      }),
    );
    await once(server, 'close');
  } finally {
    envoys?.close();
    await live.close();
    await recording.close(lastLines);
  }
  return exit.ok;
}

function urlNow(server: Server, address: Address, secure: boolean): string {
  if (address.kind === 'socket') return `unix:${address.path}`;
  const { port } = server.address() as AddressInfo;
  return urlOf(secure ? 'https' : 'http', address.host, port);
}
