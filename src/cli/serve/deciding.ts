import { setTimeout as pause } from 'node:timers/promises';
import type { LivePolicies } from '../../gateway/live/policies.ts';
import type { Terminal } from '../terminal/output.ts';
import { LiveCatalogue } from './catalogue.ts';
import type { Closing } from './closing.ts';
import type { Configured } from './config.ts';
import type { Config } from './config-schema.ts';
import type { Identities } from './identities.ts';
import { openPolicies } from './live.ts';
import { countsOf, openRecording, type Recording } from './recording.ts';
import type { From } from './sources.ts';
import { answerTo } from './workers-channel.ts';

/** The policies, and who is told of what is decided with them. */
export interface Deciding {
  readonly from: From;
  /** Whether they are those that come with Placet. */
  readonly shipped: boolean;
  readonly live: LivePolicies;
  /** Once it can decide. */
  readonly opened: Promise<void>;
  readonly recording: Recording;
  /** What Envoys get of them. */
  readonly catalogue: LiveCatalogue;
}

/** Milliseconds for what waits in the log. */
const lastLines = 2_000;

/** Milliseconds that the policies of a cluster are waited for before it is listened. */
const patience = 5_000;

export async function openDeciding(
  terminal: Terminal,
  { config, originOf }: Configured,
  { authorities, workload, kubernetes }: Identities,
  closing: Closing,
  log: (line: string) => void,
): Promise<Deciding> {
  const isDefault = originOf(['policies']) === 'default';
  const from = policiesFrom(config, isDefault);
  let told: Recording | undefined;
  // What is still answered is decided by what is live, and logged.
  closing.add(() => told?.close(lastLines));
  const { live, opened } = openPolicies(from, terminal, {
    maxStaleness: config.maxStaleness * 1_000,
    others: () => [...(kubernetes?.status() ?? []), ...(workload?.status() ?? [])],
    reloaded: (event) => {
      told?.observer.reloaded?.(event);
      catalogue.changed();
    },
  });
  closing.add(() => live.close());
  const catalogue = new LiveCatalogue(live, log);
  kubernetes?.start();
  // A cluster may be away for long, and who asks meanwhile is to hear that.
  await Promise.race([
    opened,
    ...(from.cluster === undefined ? [] : [pause(patience, undefined, { ref: false })]),
  ]);
  const recording = openRecording(config.log, live, log, countsOf(authorities.verifier));
  told = recording;
  answerTo('metrics', () => recording.metrics.json());
  return { from, shipped: isDefault && from.cluster === undefined, live, opened, recording, catalogue };
}

/** Whoever has policies in a cluster has not meant those that come with Placet. */
function policiesFrom({ policies, kubernetes, maxStaleness }: Config, isDefault: boolean): From {
  if (kubernetes?.policies !== true) return { policies };
  const { kubeconfig, context } = kubernetes;
  const cluster = { kubeconfig, context, maxStaleness: maxStaleness * 1_000 };
  return { policies: isDefault ? [] : policies, cluster };
}
