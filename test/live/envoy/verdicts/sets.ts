import { ExportRefused } from '../../../../src/envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../../../src/envoy/export/types.ts';
import type { Asked } from '../../../../src/pdp/governing.ts';
import { documentsOf } from '../../../envoy/export/documents-of.ts';
import { type Both, both } from '../../../envoy/export/world.ts';
import { Random } from '../../../oracle/random.ts';
import type { Shape } from '../../../oracle/shapes.ts';
import { allows, type Client, drawClient, drawClients } from './clients.ts';

/** A random set of policies, one destination of it, and its exports: what a real Envoy is to run. */
export interface WorldSet {
  readonly seed: number;
  readonly documents: readonly Shape[];
  readonly tags: boolean;
  readonly set: Both;
  readonly asked: Asked;
  readonly exports: readonly Form[];
  readonly clients: readonly Client[];
}

export interface Form {
  readonly options: ExportOptions;
  readonly exported: Exported;
  /** A route of the listener, or undefined: whatever routes there are, the filters are for all. */
  readonly route: string | undefined;
}

function documentsFor(seed: number, tags: boolean): Shape[] {
  const documents = documentsOf(seed, tags, 40);
  return !tags && withoutPaths(seed) ? documents.map(methodsForPaths) : documents;
}

/** What denies by paths has no network filter at an inbound declared http, what denies by methods a narrower one. */
const withoutPaths = (seed: number) => seed % 6 === 0;
function methodsForPaths(shape: Shape): Shape {
  return JSON.parse(JSON.stringify(shape), (_, value) => {
    if (typeof value?.path?.type !== 'string') return value;
    const { path, ...rest } = value;
    return { method: path.value.length % 2 === 0 ? 'GET' : 'POST', ...rest };
  });
}

/** The forms that a set is tried in: the first two always, of the others one. */
function formsOf(seed: number, tags: boolean): ExportOptions[] {
  const more: readonly ExportOptions[] = [
    { form: 'tree', minimise: false },
    { filter: 'network', form: 'tree' },
    { form: 'list', shadow: 'paper' },
    { filter: 'network', form: 'list', minimise: false },
    { form: 'list', minimise: false },
  ];
  const table: ExportOptions = { form: 'table', shadow: 'paper', paperAsWritten: true };
  const third = withoutPaths(seed) ? more[1]! : more[seed % more.length]!;
  return [
    { filter: 'http', form: 'tree' },
    { filter: 'http', form: 'list' },
    third,
    ...(tags ? [table] : []),
  ];
}

/** Undefined: what an export refuses for this set, in so many words. */
export function exportOf(set: Both, asked: Asked, options: ExportOptions): Exported | undefined {
  try {
    return set.exporter.export(asked, { allowNarrower: true, ...options });
  } catch (error) {
    if (!(error instanceof ExportRefused)) throw error;
    const { code } = error.refusal;
    // An inbound declared tcp has no HTTP filters.
    if (code === 'protocol' && options.filter === 'http')
      return exportOf(set, asked, { ...options, filter: 'network' });
    if (['not-exact', 'form', 'too-many-tags', 'as-written'].includes(code)) return undefined;
    throw error;
  }
}

function candidates({ loaded: { inventory } }: Both, tags: boolean): Asked[] {
  const inbounds = [...inventory.dataplanes.values()].flatMap(({ mesh, name, inbounds: all }) =>
    all.map(({ port }): Asked => ({ mesh, dataplane: name, inbound: port })),
  );
  const services = tags ? [] : [...inventory.services.keys()].map((service): Asked => ({ service }));
  return [...inbounds, ...services];
}

/** Of a few destinations the one where most is allowed: at many nothing is. */
function liveliest(random: Random, set: Both, tags: boolean): Asked {
  const tried = random.some(candidates(set, tags), 1, 5).map((asked) => ({
    asked,
    allowed: Array.from({ length: 10 }, () => drawClient(random, set, asked, tags, 1)).filter(allows).length,
  }));
  return tried.sort((a, b) => b.allowed - a.allowed)[0]!.asked;
}

export function worldSet(seed: number, tags: boolean): WorldSet {
  const documents = documentsFor(seed, tags);
  const set = both(...documents);
  const random = new Random(seed);
  const asked = liveliest(random, set, tags);
  const clients = drawClients(random, set, asked, tags);
  const exports = formsOf(seed, tags).flatMap((options): Form[] => {
    const exported = exportOf(set, asked, options);
    if (exported === undefined) return [];
    const routes = exported.routes.map(({ route }) => route);
    const named = exported.report.filter === 'http' && 'dataplane' in asked;
    return [{ options, exported, route: named ? random.pick([...routes, 'none-of-them']) : undefined }];
  });
  return { seed, documents, tags, set, asked, exports, clients };
}
