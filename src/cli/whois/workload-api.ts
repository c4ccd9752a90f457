import type { Bundles } from '../../attributes/bundles/store.ts';
import type { Refusal } from '../../attributes/evidence.ts';
import { bundleSorts } from '../../attributes/workload-api/bundle.ts';
import {
  type Endpoint,
  endpointVariable,
  nameOf,
  readEndpoint,
} from '../../attributes/workload-api/endpoint.ts';
import { fetchBundles } from '../../attributes/workload-api/fetch.ts';
import { exit, Failure } from '../failure.ts';
import type { EvidenceFlags } from './evidence.ts';

/** What was handed over or fetched and does not count, with the reason. */
export interface Refused {
  readonly evidence: string;
  readonly refusal: Refusal;
}

/** Bundles of the Workload API as they are now, of the sorts that the evidence needs; those that are unsound are named. */
export async function askWorkloadApi(
  flags: EvidenceFlags,
  bundles: Bundles,
  env: NodeJS.ProcessEnv,
): Promise<readonly Refused[]> {
  const endpoint = endpointOf(flags, env);
  const sorts = [
    ...(flags.cert === undefined ? [] : [bundleSorts.x509]),
    ...(flags.jwt === undefined ? [] : [bundleSorts.jwt]),
  ];
  if (endpoint === undefined || sorts.length === 0) return [];
  for (const sort of sorts) {
    const message = await fetchBundles(endpoint, sort, bundles).then(
      (taken) => (taken.ok ? undefined : taken.refusal.message),
      (error: Error) => error.message,
    );
    if (message !== undefined)
      throw new Failure(exit.problems, `the Workload API at ${nameOf(endpoint)}: ${message}`);
  }
  return bundles
    .status()
    .flatMap(({ trustDomain, refusal }) =>
      refusal === undefined ? [] : { evidence: `bundle of ${trustDomain}`, refusal },
    );
}

/** Files that are named are meant: the variable counts where nothing else was said. */
export function endpointOf(
  { workloadApi, bundle }: Pick<EvidenceFlags, 'workloadApi' | 'bundle'>,
  env: NodeJS.ProcessEnv,
): Endpoint | undefined {
  const asked = workloadApi !== undefined;
  const text = typeof workloadApi === 'string' ? workloadApi : env[endpointVariable] || undefined;
  if (!asked && bundle !== undefined) return undefined;
  if (text === undefined) {
    if (!asked) return undefined;
    throw new Failure(
      exit.usage,
      'no Workload API was named',
      `write --workload-api unix:///path/of/its/socket, or set ${endpointVariable}`,
    );
  }
  const read = readEndpoint(text);
  if (read.ok) return read.value;
  throw new Failure(exit.usage, read.refusal.message);
}
