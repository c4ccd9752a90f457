import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicy } from '@open-policy-agent/opa-wasm';
import type { PlainCondition, PlainRule, Workload } from '../workloads/types.ts';
import { opaBinary } from './tools.ts';
import type { Peer, PeerName } from './types.ts';

/** OPA compiled to WebAssembly: policies as data, found by destination, each with its conditions as they are written. */
export function opaWasm({ name, rules }: Workload): Promise<Peer> {
  return name === 'S'
    ? load('opa-wasm', 'mesh.rego', meshData(rules))
    : load('opa-wasm', 'attributes.rego', attributesData(rules));
}

/** The fastest that we found for A and H: conditions made for looking up, and found by one of the source's keys too. */
export function opaWasmTuned({ rules }: Workload): Promise<Peer> {
  return load('opa-wasm-tuned', 'tuned.rego', tunedData(rules));
}

async function load(name: PeerName, rego: string, data: object): Promise<Peer> {
  const policy = await loadPolicy(build(rego));
  policy.setData(data);
  return { name, decide: (request) => policy.evaluate(request)[0].result === true };
}

function build(file: string): ArrayBuffer {
  const folder = mkdtempSync(join(tmpdir(), 'placet-bench-'));
  try {
    const bundle = join(folder, 'bundle.tar.gz');
    const rego = join(import.meta.dirname, 'rego', file);
    execFileSync(opaBinary(), ['build', '-t', 'wasm', '-e', 'placet/allow', '-o', bundle, rego]);
    execFileSync('tar', ['-xzf', bundle, '-C', folder, '/policy.wasm'], { stdio: 'ignore' });
    return new Uint8Array(readFileSync(join(folder, 'policy.wasm'))).buffer;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function meshData(rules: readonly PlainRule[]): object {
  const none = (): Record<'exact' | 'prefix', Record<string, true>> => ({ exact: {}, prefix: {} });
  const data = { deny: none(), allow: none() };
  for (const { tier, when } of rules) {
    const { match, values } = when[0]!;
    const maps = data[tier === 2 ? 'deny' : 'allow'];
    if (match === 'exact') maps.exact[values[0]!] = true;
    else maps.prefix[values[0]!.slice(0, -1)] = true;
  }
  return data;
}

function at<T>(record: Record<string, T>, key: string, empty: T): T {
  record[key] ??= empty;
  return record[key];
}

interface Filed {
  readonly effect: 'deny' | 'allow';
  /** The service or the namespace that it names first. */
  readonly target: string;
  readonly source: readonly PlainCondition[];
  readonly destination: readonly PlainCondition[];
}

function filed({ tier, when }: PlainRule): Filed {
  const of = (side: string) => when.filter((one) => one.side === side && one.key !== 'placet:namespace');
  const [source, destination] = [of('source'), of('destination')];
  return { effect: tier === 2 ? 'deny' : 'allow', target: destination[0]!.values[0]!, source, destination };
}

function written({ key, match, values }: PlainCondition): object {
  return { key, operator: match === 'under' ? 'Under' : 'In', values };
}

function attributesData(rules: readonly PlainRule[]): object {
  const data: Record<'deny' | 'allow', Record<string, object[]>> = { deny: {}, allow: {} };
  for (const { effect, target, source, destination } of rules.map(filed)) {
    const rule = { source: source.map(written), destination: destination.map(written) };
    at<object[]>(data[effect], target, []).push(rule);
  }
  return data;
}

interface TunedRule {
  source: Record<string, Record<string, true>>;
  destination: Record<string, string>;
  location?: string[];
}

type Index = Record<string, Record<string, Record<string, TunedRule[]>>>;

/** The keys that tell most apart, first: a rule is filed under the first of them that it has. */
const pivots = ['k8s:label:app', 'k8s:ns', 'k8s:sa', 'k8s:label:team', 'k8s:label:role', 'k8s:label:tier'];

function tunedData(rules: readonly PlainRule[]): object {
  const data: Record<'deny' | 'allow', Index> = { deny: {}, allow: {} };
  for (const { effect, target, source, destination } of rules.map(filed)) {
    const rule: TunedRule = { source: {}, destination: {} };
    let pivot: { key: string; values: readonly string[] } | undefined;
    for (const { key, values } of destination.slice(1)) rule.destination[key] = values[0]!;
    for (const { key, match, values } of source) {
      if (match === 'under') rule.location = values.map((value) => `${value}/`);
      else {
        rule.source[key] = Object.fromEntries(values.map((value) => [value, true]));
        if (pivot === undefined || pivots.indexOf(key) < pivots.indexOf(pivot.key)) pivot = { key, values };
      }
    }
    if (pivot !== undefined) delete rule.source[pivot.key];
    const { key, values } = pivot ?? { key: '*', values: ['*'] };
    const byTarget = at(data[effect], target, {});
    const byKey = at(byTarget, key, {});
    for (const value of values) at<TunedRule[]>(byKey, value, []).push(rule);
  }
  return data;
}
