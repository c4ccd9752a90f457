import { Metrics } from '../../gateway/metrics/metrics.ts';
import type { Callers, Service } from '../../gateway/service.ts';
import type { Terminal } from '../terminal/output.ts';
import { accessOf } from './access.ts';
import { type Address, readAddress } from './address.ts';
import { callersOf } from './callers.ts';
import type { Closing } from './closing.ts';
import type { Configured } from './config.ts';
import type { CallerRule, Config } from './config-schema.ts';
import { settingsOf } from './config-settings.ts';
import { type Deciding, openDeciding } from './deciding.ts';
import { evidenceReader } from './evidence.ts';
import { type Identities, openIdentities } from './identities.ts';
import { gather } from './workers-channel.ts';
import { openInspector } from './workers-inspector.ts';

/** All that answers, before anybody can ask. */
export interface Parts extends Identities, Deciding {
  readonly config: Config;
  readonly address: Address;
  /** Who may call there. */
  readonly rules: readonly CallerRule[];
  readonly callersBy: (rules: readonly CallerRule[]) => Callers;
  readonly service: Service;
}

/** What is opened is closed by `closing`, also where the next part cannot be. */
export async function openParts(
  terminal: Terminal,
  configured: Configured,
  closing: Closing,
  log: (line: string) => void,
): Promise<Parts> {
  const { config } = configured;
  const address = readAddress(config.listen) as Address;
  const rules = accessOf(config, address);
  const identities = await openIdentities(config, closing);
  const deciding = await openDeciding(terminal, configured, identities, closing, log);
  const { authorities, kubernetes } = identities;
  const callersBy = (some: readonly CallerRule[]) => callersOf(some, authorities, kubernetes?.review);
  const service = serviceOf(config, callersBy(rules), identities, deciding);
  return { config, address, rules, callersBy, service, ...identities, ...deciding };
}

/** How they are put together. */
function serviceOf(
  config: Config,
  callers: Callers,
  { authorities, kubernetes }: Identities,
  { live, recording }: Deciding,
): Service {
  const inspector = openInspector(live);
  return {
    live,
    identify: evidenceReader({
      authorities,
      inventory: () => live.current()?.inventory,
      xfcc: config.xfcc,
      ...(kubernetes === undefined ? {} : { cluster: kubernetes.view }),
    }),
    callers,
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
}
