import { randomBytes } from 'node:crypto';
import { join, parse } from 'node:path';
import { fileCarrier } from '../../gateway/log/file.ts';
import { httpCarrier } from '../../gateway/log/http.ts';
import { DecisionLog } from '../../gateway/log/log.ts';
import { type Carrier, Outlet } from '../../gateway/log/outlet.ts';
import { stdoutCarrier } from '../../gateway/log/stdout.ts';
import { type Counted, Metrics } from '../../gateway/metrics/metrics.ts';
import type { Live, Observer } from '../../gateway/service.ts';
import { textOf } from '../path-words.ts';
import type { LogConfig } from './config-log.ts';
import { place } from './workers-channel.ts';

type Destination = Exclude<LogConfig['to'], 'none'>;

export interface Recording {
  readonly metrics: Metrics;
  readonly observer: Observer;
  /** Writes what waits, as far as that is possible in so many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

/** How often a certificate was remembered, and how often it had to be verified. */
export function countsOf(verifier: { readonly hits: number; readonly misses: number }): readonly Counted[] {
  return [
    {
      name: 'placet_certificates_remembered',
      help: 'Certificates that were verified before and still hold.',
      read: () => verifier.hits,
    },
    {
      name: 'placet_certificates_verified',
      help: 'Certificates that had to be verified.',
      read: () => verifier.misses,
    },
  ];
}

/** Everything that is told of decisions: metrics and the log. */
export function openRecording(
  config: LogConfig,
  live: Live,
  say: (line: string) => void,
  more: readonly Counted[] = [],
): Recording {
  const log = config.to === 'none' ? undefined : openLog(config, config.to, say);
  const metrics = new Metrics(live, [
    ...more,
    {
      name: 'placet_log_lines',
      help: 'Lines of the decision log.',
      read: () => log?.written ?? 0,
    },
    {
      name: 'placet_log_dropped',
      help: 'Lines that were to be written and were not: too many a second, or nowhere to put them.',
      read: () => log?.dropped ?? 0,
    },
  ]);
  return {
    metrics,
    observer: {
      decided(event) {
        metrics.decided(event);
        log?.decided(event);
      },
      shed: () => metrics.shed(),
      failed(error) {
        metrics.failed();
        say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      },
      reloaded: ({ outcome }) => metrics.reloaded(outcome),
    },
    close: async (milliseconds) => log?.close(milliseconds),
  };
}

function openLog(config: LogConfig, to: Destination, say: (line: string) => void): DecisionLog {
  const { queueBytes, allows, denies, perSecond, mask, saltFile } = config;
  const outlet = new Outlet(carrierOf(config, to), { queue: queueBytes }, (problem) =>
    say(`log: ${problem === undefined ? 'lines are written again' : `no line is written: ${problem}`}`),
  );
  const salt =
    saltFile === undefined ? randomBytes(16).toString('hex') : textOf(saltFile, 'log.saltFile names it');
  return new DecisionLog(outlet, { allows, denies, perSecond }, { keys: mask, salt });
}

function carrierOf(config: LogConfig, to: Destination): Carrier {
  const { file = '', fileBytes, files, url = '', authorizationFile, timeout } = config;
  if (to === 'stdout') return stdoutCarrier();
  if (to === 'file') return fileCarrier(ownFile(file, place()), { bytes: fileBytes, files });
  return httpCarrier({
    url,
    timeout: timeout * 1_000,
    ...(authorizationFile === undefined ? {} : { authorizationFile }),
  });
}

/** Each worker has a file of its own (`decisions-2.log`): two could not tell what of one is whose, nor put it aside. */
function ownFile(file: string, worker = 1): string {
  if (worker === 1) return file;
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}-${worker}${ext}`);
}
