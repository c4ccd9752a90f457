import cluster from 'node:cluster';
import { extensionType } from '../../envoy/xds/resource.ts';
import type { Discovery } from '../../envoy/xds/service.ts';
import type { NodeStatus, ResourceStatus, Version } from '../../envoy/xds/status.ts';
import type { EnvoyFilter, EnvoyPage, EnvoyResource, EnvoyStatus } from '../../gateway/inspect/envoys.ts';
import { nextOf, type Part } from '../../gateway/inspect/part.ts';
import { byText } from '../../pdp/model/text.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { answerTo, gather } from './workers-channel.ts';

/** Resources that are told of one node; most have a few. */
const mostResources = 100;

const found = 'envoys found';
const shown = 'envoys shown';
const outdated = 'envoys outdated';

/** Problems of nodes that are told of; they may all have the same. */
const mostOutdated = 100;

/** Which nodes a worker has, and no more of them, since there may be many. */
interface Found {
  readonly ids: readonly string[];
  /** Of their streams. */
  readonly numbers: readonly number[];
}

/** Streams of one worker. */
interface Shown {
  readonly worker: number;
  readonly numbers: ReadonlySet<number>;
}

type Nodes = Pick<Discovery, 'nodes'>;

/** From now on this worker answers for the nodes that it has. */
export function showNodes(discovery: Nodes): void {
  answerTo(outdated, () => findOutdated(discovery).slice(0, mostOutdated));
  answerTo(found, (where) => findNodes(discovery, where as EnvoyFilter));
  answerTo(shown, (all) => {
    const mine = (all as readonly Shown[]).find(({ worker }) => worker === (cluster.worker?.id ?? 0));
    return mine === undefined ? new Map() : statuses(discovery, mine.numbers);
  });
}

/** Of all workers: nodes whose filters are not what the policies say, as problems of what is in force. */
export async function outdatedNodes(): Promise<readonly Violation[]> {
  const all = (await gather(outdated)).flatMap(({ value }) => (value ?? []) as readonly Violation[]);
  return all.slice(0, mostOutdated);
}

function findOutdated(discovery: Nodes): readonly Violation[] {
  return discovery.nodes().flatMap(({ id, resources }) =>
    resources.flatMap(({ name, outdated: why, denies }) => {
      if (why === undefined) return [];
      const has = denies === undefined ? 'an older filter' : 'a filter that denies all';
      return [{ path: ['envoys', id], code: 'value', message: `${name}: has ${has}: ${why}` } as const];
    }),
  );
}

/** Of all workers: who has which node, and then only of those that are wanted how it stands with them. */
export async function envoys(where: EnvoyFilter, part: Part): Promise<EnvoyPage> {
  const all = (await gather(found, where)).flatMap(({ worker, value }) => {
    const { ids, numbers } = value as Found;
    return ids.map((id, at) => ({ id, worker, number: numbers[at] as number }));
  });
  all.sort((a, b) => byText(a.id, b.id) || a.worker - b.worker || a.number - b.number);
  const wanted = all.slice(part.from, part.from + part.most);
  const total = all.length;
  if (wanted.length === 0) return { total, envoys: [] };
  const asked: Shown[] = [...Map.groupBy(wanted, ({ worker }) => worker)].map(([worker, some]) => ({
    worker,
    numbers: new Set(some.map(({ number }) => number)),
  }));
  const told = new Map<number, ReadonlyMap<number, EnvoyStatus>>();
  for (const { worker, value } of await gather(shown, asked))
    told.set(worker, value as ReadonlyMap<number, EnvoyStatus>);
  // Those that went meanwhile are not there.
  const envoys = wanted.flatMap(({ worker, number }) => told.get(worker)?.get(number) ?? []);
  return { total, envoys, ...nextOf(part, wanted.length, total) };
}

function findNodes(discovery: Nodes, { id, mesh, dataplane, state }: EnvoyFilter): Found {
  const nodes = discovery
    .nodes()
    .filter(
      (node) =>
        (id === undefined || node.id === id) &&
        (mesh === undefined || node.proxy?.mesh === mesh) &&
        (dataplane === undefined || node.proxy?.dataplane === dataplane) &&
        (state === undefined || node.state === state),
    );
  return { ids: nodes.map((node) => node.id), numbers: nodes.map((node) => node.number) };
}

function statuses(discovery: Nodes, numbers: ReadonlySet<number>): ReadonlyMap<number, EnvoyStatus> {
  const wanted = discovery.nodes().filter(({ number }) => numbers.has(number));
  return new Map(wanted.map((node) => [node.number, statusOf(node)]));
}

function statusOf(node: NodeStatus): EnvoyStatus {
  const { id, cluster: group, proxy, form, connected, state, resources, lastRefusal } = node;
  return {
    id,
    cluster: group,
    ...(proxy === undefined ? {} : { dataplane: { mesh: proxy.mesh, name: proxy.dataplane } }),
    form,
    connected: timeOf(connected),
    state,
    ...firstOf(resources, resourceOf),
    ...(lastRefusal === undefined
      ? {}
      : {
          lastRefusal: {
            at: timeOf(lastRefusal.at),
            words: lastRefusal.words,
            ...firstOf(lastRefusal.resources, (one) => one),
          },
        }),
    ...(cluster.worker === undefined ? {} : { worker: cluster.worker.id }),
  };
}

function firstOf<T, U>(all: readonly T[], made: (one: T) => U) {
  const more = all.length - mostResources;
  return { resources: all.slice(0, mostResources).map(made), ...(more > 0 ? { more } : {}) };
}

function resourceOf({ name, sent, taken, refused, denies, outdated }: ResourceStatus): EnvoyResource {
  return {
    type: extensionType,
    name,
    ...(sent === undefined ? {} : { sent: versionOf(sent) }),
    ...(taken === undefined ? {} : { taken: versionOf(taken) }),
    refused,
    ...(denies === undefined ? {} : { denies }),
    ...(outdated === undefined ? {} : { outdated }),
  };
}

function versionOf({ version, at }: Version): { readonly version: string; readonly at: string } {
  return { version, at: timeOf(at) };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
