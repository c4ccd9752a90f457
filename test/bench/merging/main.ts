import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { shippedKinds } from '../../../src/policy/files.ts';
import { load } from '../../../src/policy/load.ts';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { writePart } from '../results.ts';
import { mergingWorld } from './world.ts';

/** Merging for all proxies, measured; with --write into RESULTS.md, between its marks. */

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const rounds = 5;

function measure(proxies: number, policies: number, own: boolean): string {
  const documents = mergingWorld(proxies, policies, own).map((value) => ({ value, place: () => undefined }));
  const loaded = load(documents, digest, shippedKinds());
  if (loaded.violations.length > 0) throw new Error(loaded.violations[0]!.message);
  const times: number[] = [];
  let confs = new Confs(loaded);
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    confs = new Confs(loaded);
    for (const dataplane of loaded.inventory.dataplanes.values()) confs.of(dataplane);
    times.push(performance.now() - start);
  }
  const [least, median, most] = [0, rounds >> 1, rounds - 1].map((at) => times.sort((a, b) => a - b)[at]!);
  const { merges, compared } = confs.work;
  const of = own ? 'every second policy for one proxy' : 'policies for services, namespaces and the mesh';
  const time = `${Math.round(median!)} ms (${Math.round(least!)}–${Math.round(most!)})`;
  return `| ${proxies} | ${policies} | ${of} | ${time} | ${merges} | ${compared} |`;
}

const lines = [
  '| proxies | policies | of which | all proxies merged | confs merged | selections compared |',
  '| --- | --- | --- | --- | --- | --- |',
  ...[250, 500, 1_000, 2_000].map((proxies) => measure(proxies, 2_000, false)),
  measure(1_000, 2_000, true),
  measure(2_000, 2_000, true),
  measure(1, 5_000, false),
];
console.log(lines.join('\n'));
if (process.argv.includes('--write')) {
  const made = `Measured with Node ${process.versions.node}, ${availableParallelism()} CPUs, by \`node test/bench/merging/main.ts --write\`; the median of ${rounds}. Aim: 1,000 proxies under 2,000 policies in 2 s.`;
  writePart('merging', made, lines);
}
