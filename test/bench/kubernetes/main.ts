import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../../src/attributes/kubernetes/client.ts';
import { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { openCluster } from '../../support/kubernetes/cluster.ts';
import { crowd } from '../../support/kubernetes/crowd.ts';
import { jsonStorage, openLoad } from '../../support/kubernetes/load.ts';
import { writePart } from '../results.ts';
import { eventsToVisible, type Latencies } from './events.ts';
import { lookups } from './lookups.ts';

/** Following a real API server, measured; with --write into RESULTS.md, between its marks. */

const pods = 10_000;
const perAccount = 10;
const rounds = 7;

interface Seen {
  readonly took: number;
  readonly pods: number;
  readonly resident: number;
  readonly retained: number;
}

function see(way: 'bare' | 'source', kubeconfig: string): Seen {
  const args = ['--expose-gc', join(import.meta.dirname, 'sync.ts'), way, kubeconfig];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Seen;
}

const round = (value: number, digits = 0) => value.toFixed(digits);
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const median = (values: readonly number[]) => sorted(values)[values.length >> 1]!;
const spread = (values: readonly number[], unit: string) =>
  `${round(median(values))} ${unit} (${round(sorted(values)[0]!)}–${round(sorted(values).at(-1)!)})`;

function firstSight(kubeconfig: string): string[] {
  const seen = Array.from({ length: rounds }, () => ({
    bare: see('bare', kubeconfig),
    source: see('source', kubeconfig),
  }));
  for (const { bare, source } of seen)
    if (bare.pods !== source.pods) throw new Error(`bare saw ${bare.pods} pods, the source ${source.pods}`);
  const row = (way: 'bare' | 'source', what: string) => {
    const of = (key: keyof Seen) => seen.map((one) => one[way][key]);
    const times = (key: keyof Seen) => round(median(of(key)) / median(seen.map((one) => one.bare[key])), 2);
    return `| ${what} | ${spread(of('took'), 'ms')} | ${times('took')} | ${spread(of('resident'), 'MB')} | ${times('resident')} | ${spread(of('retained'), 'MB')} |`;
  };
  return [
    '| first sight of 10,000 pods | took | × bare | resident | × bare | retained |',
    '| --- | --- | --- | --- | --- | --- |',
    row('bare', 'a bare list in pages'),
    row('source', 'the source'),
  ];
}

const cluster = await openCluster({ args: [jsonStorage] });
const load = openLoad(cluster);
try {
  const many = await crowd(cluster, 'shop', perAccount);
  await load.write(many.all(pods, 'first'));
  const kubeconfig = cluster.kubeconfig();
  const sight = firstSight(kubeconfig);
  const visible: Latencies[] = [];
  for (const perSecond of [500, 2_000])
    visible.push(await eventsToVisible(cluster, load, many, perSecond, 10));
  const source = new ClusterSource(await connect({ kubeconfig }));
  const running = source.run();
  while (source.view() === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  const found = await lookups(source, perAccount);
  source.close();
  await running;
  const lines = [
    ...sight,
    '',
    ...visible.map(
      ({ perSecond, p50, p99, most }) =>
        `- Visible, at ${round(perSecond)} changes a second: p50 ${round(p50, 1)} ms, p99 ${round(p99, 1)} ms, most ${round(most, 1)} ms.`,
    ),
    '',
    '| look-up | a second |',
    '| --- | --- |',
    ...found.map(({ what, perSecond }) => `| ${what} | ${Math.round(perSecond).toLocaleString('en-US')} |`),
  ];
  console.log(lines.join('\n'));
  if (process.argv.includes('--write')) {
    const made = `Measured with kube-apiserver v1.36.3, etcd v3.6.16 and Node ${process.versions.node}, ${availableParallelism()} CPUs, by \`node test/bench/kubernetes/main.ts --write\`; first sight: the median of ${rounds} rounds in turns, wanted 1.5 × in time and 1.3 × resident. Aims: visible at 500 changes a second with a p99 of 50 ms; 1M look-ups a second with a certificate seen before.`;
    writePart('kubernetes', made, lines);
  }
} finally {
  load.stop();
  await cluster.stop();
}
