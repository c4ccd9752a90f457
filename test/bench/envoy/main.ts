import { availableParallelism } from 'node:os';
import { Exporter } from '../../../src/envoy/export/exporter.ts';
import { both } from '../../envoy/export/world.ts';
import { authority, svid } from '../../support/certificates/index.ts';
import { openLab } from '../../support/envoy/lab.ts';
import { socketOf } from '../../support/envoy/listeners.ts';
import { spiffeBundles } from '../../support/envoy/trust.ts';
import { writePart } from '../results.ts';
import { s } from '../workloads/s.ts';
import { type FormName, filtersOf, formNames, type Matcher } from './forms.ts';
import { latencies, percentile } from './latency.ts';
import { redundant } from './redundant.ts';

/**
 * What a filter costs in Envoy, form by form, in one run: p50 of round trips over one connection with mTLS that stays
 * open, in rounds that alternate between the forms. With --write into RESULTS.md, between its marks.
 */

const sizes = [10, 1_000, 10_000] as const;
const rounds = 7;
const warm = 500;
const trips = 1_500;
const patience = 500;

interface Row {
  readonly size: number;
  readonly form: FormName;
  readonly p50: number;
  readonly spread: readonly [number, number];
  readonly bytes: number;
}

function matchersOf(documents: readonly object[]): readonly Matcher[] {
  return documents.flatMap((document) => {
    const { spec } = document as {
      spec?: { rules?: { default: Record<string, { spiffeID: Matcher }[]> }[] };
    };
    return (spec?.rules ?? []).flatMap(({ default: lists }) =>
      (['deny', 'allow'] as const).flatMap((effect) =>
        (lists[effect] ?? []).map(({ spiffeID }) => ({ ...spiffeID, effect })),
      ),
    );
  });
}

async function measure(size: number): Promise<readonly Row[]> {
  const { documents } = s(size, 1);
  const exporter = both(...documents).exporter;
  const matchers = matchersOf(documents);
  const home = await authority('td0.example');
  // In none of the lists by chance, and let in by a permission of its own.
  const allowed = matchers.find(
    ({ type, value, effect }) =>
      effect === 'allow' && type === 'Exact' && value.startsWith('spiffe://td0.example/'),
  );
  const certificate = await svid(home, allowed?.value ?? 'spiffe://td0.example/ns/none/sa/none');
  const listeners = formNames.map((form) => ({
    name: form,
    kind: 'http' as const,
    filters: filtersOf(form, exporter, matchers),
    trust: spiffeBundles(home),
  }));
  const lab = await openLab(listeners);
  try {
    const times = formNames.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, form] of formNames.entries()) {
        const path = socketOf(lab.envoy.folder, at);
        const slow = size === 10_000 && (form === 'list' || form === 'legacy rules');
        await latencies(path, { certificate }, slow ? 50 : warm);
        times[at]!.push(percentile(await latencies(path, { certificate }, slow ? patience : trips), 0.5));
      }
    }
    return formNames.map((form, at) => {
      const sorted = [...times[at]!].sort((a, b) => a - b);
      const bytes = JSON.stringify(listeners[at]!.filters).length;
      return { size, form, p50: sorted[rounds >> 1]!, spread: [sorted[0]!, sorted.at(-1)!], bytes };
    });
  } finally {
    await lab.stop();
  }
}

function table(rows: readonly Row[]): string[] {
  return [
    '| rules | form | p50 | × no filter | JSON |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(({ size, form, p50, spread: [least, most], bytes }) => {
      const none = rows.find((one) => one.size === size && one.form === 'no filter')!.p50;
      return `| ${size} | ${form} | ${p50.toFixed(0)} µs (${least.toFixed(0)}–${most.toFixed(0)}) | ${(p50 / none).toFixed(2)} | ${(bytes / 1024).toFixed(0)} kB |`;
    }),
  ];
}

const asked = { mesh: 'default', dataplane: 'backend-0', inbound: 'http' };

/** Time to export, and how much of what is written twice falls away. */
function exporting(): string[] {
  const big = both(...s(10_000, 1).documents);
  const { rules, inventory, snapshot } = big.loaded;
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    new Exporter(rules, inventory, snapshot).export(asked, {});
    times.push(performance.now() - start);
  }
  const start = performance.now();
  let proxies = 0;
  const exporter = new Exporter(rules, inventory, snapshot);
  for (let round = 0; round < 10; round++)
    for (const { name } of inventory.dataplanes.values()) {
      exporter.export({ ...asked, dataplane: name }, {});
      proxies++;
    }
  const all = performance.now() - start;
  const set = both(...redundant());
  const least = set.exporter.export(asked, {}).report.size.bytes;
  const kuma = set.exporter.export(asked, { form: 'list', minimise: false }).report.size.bytes;
  const median = times.sort((a, b) => a - b)[2]!;
  return [
    `- 10,000 rules for one proxy: ${Math.round(median)} ms (${Math.round(times[0]!)}–${Math.round(times[4]!)}), aim 2 s; for ${proxies} proxies that share them: ${(all / 1000).toFixed(1)} s, aim 20 s.`,
    `- A set with redundancy (test/bench/envoy/redundant.ts): ${(least / 1024).toFixed(1)} kB minimised, ${(kuma / 1024).toFixed(1)} kB as a list of every matcher, which is Kuma's form: × ${(least / kuma).toFixed(2)}.`,
  ];
}

const rows: Row[] = [];
for (const size of sizes) rows.push(...(await measure(size)));
const lines = [...table(rows), '', ...exporting()];
console.log(lines.join('\n'));
if (process.argv.includes('--write')) {
  const made = `Measured with Envoy 1.40.0 and Node ${process.versions.node}, ${availableParallelism()} CPUs, by \`node test/bench/envoy/main.ts --write\`: workload S, one client of Node's over one mTLS connection that stays open, the median of ${rounds} alternating rounds of p50. To reach: a tree of 10,000 rules within 1.3 × of no filter; minimised at most 0.7 × of Kuma's form.`;
  writePart('envoy', made, lines);
}
