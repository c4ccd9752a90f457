import { formatViolation } from '../../../src/pdp/model/violation.ts';
import type { Document } from '../../../src/policy/document.ts';
import { shippedKinds } from '../../../src/policy/files.ts';
import { type Loaded, load } from '../../../src/policy/load.ts';
import { Confs, type KindConf } from '../../../src/policy/merge/confs.ts';
import type { Origin } from '../../../src/policy/merge/entries.ts';
import type { InboundConf } from '../../../src/policy/merge/inbounds.ts';
import type { Merged } from '../../../src/policy/merge/layers.ts';
import { parseText } from '../../../src/policy/text/parse.ts';
import { digest } from '../loading.ts';

export function loadAll(documents: readonly Document[]): Loaded {
  const loaded = load(documents, digest, shippedKinds());
  if (loaded.violations.length > 0) throw new Error(loaded.violations.map(formatViolation).join('\n'));
  return loaded;
}

export function loadedText(text: string): Loaded {
  const reading = parseText(text);
  if (reading.violations.length > 0) throw new Error(reading.violations.map(formatViolation).join('\n'));
  return loadAll(reading.documents);
}

export function loadedValues(values: readonly unknown[]): Loaded {
  return loadAll(values.map((value) => ({ value, place: () => undefined })));
}

export function confOf(loaded: Loaded, proxy: string, kind: string): KindConf | undefined {
  return new Confs(loaded).of(loaded.inventory.dataplanes.get(proxy)!, kind)[0];
}

export interface Shown {
  readonly conf: unknown;
  /** By field, the policy that says it. */
  readonly by: Readonly<Record<string, string>>;
}

export function shown(merged: Merged<Origin> | undefined): Shown | undefined {
  if (merged === undefined) return undefined;
  const by = merged.origins.map(({ field, origin }) => [field.join('.'), origin.policy] as const);
  return { conf: merged.conf, by: Object.fromEntries(by) };
}

/** By what an outbound is called. */
export function toService(conf: KindConf | undefined, service: string): Shown | undefined {
  const found = conf?.outbounds.find(({ outbound }) => outbound.destination.name === service);
  if (found === undefined) throw new Error(`no outbound ${service}`);
  return shown(found.merged);
}

/** Clients in few words, with their confs. */
export function rulesOf(conf: InboundConf | undefined): readonly (readonly [string, unknown])[] {
  if (conf?.as !== 'rules') throw new Error('no rules');
  return conf.rules.map(({ clients: { is, not }, conf }) => {
    const tags = [...is].map(([tag, value]) => `${tag}=${value}`);
    const others = [...not].map(([tag, values]) => `${tag}!=${values.join('/')}`);
    return [[...tags, ...others].sort().join(' '), conf];
  });
}
