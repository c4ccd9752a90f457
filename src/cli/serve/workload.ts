import type { Bundles } from '../../attributes/bundles/store.ts';
import { type Endpoint, endpointVariable, readEndpoint } from '../../attributes/workload-api/endpoint.ts';
import { WorkloadApi } from '../../attributes/workload-api/source.ts';
import { credentialsOf, type OwnSvid } from '../../attributes/workload-api/svid.ts';
import { secured } from '../../gateway/listen.ts';
import type { SourceStatus } from '../../gateway/service.ts';
import { exit, Failure } from '../failure.ts';
import type { Config } from './config-schema.ts';
import type { Pairs } from './tls.ts';

/** Who we are and whom we believe, as the SPIFFE Workload API says it. */
export interface WorkloadSide {
  /** Our own SVID, as soon as there is one. */
  pairs(): Promise<Pairs>;
  status(): readonly SourceStatus[];
  close(): void;
}

/** Milliseconds that our own SVID may take to come. */
const patience = 30_000;

export function openWorkload(
  { workloadApi }: Config,
  bundles: Bundles,
  env: NodeJS.ProcessEnv = process.env,
): WorkloadSide | undefined {
  const endpoint = endpointOf(workloadApi ?? (env[endpointVariable] || undefined));
  if (endpoint === undefined) return undefined;
  const api = new WorkloadApi(endpoint, bundles);
  void api.run();
  return {
    pairs: async () => pairsOf(api, await ownSvid(api)),
    status: () => [statusOf(api)],
    close: () => api.close(),
  };
}

function endpointOf(text: string | undefined): Endpoint | undefined {
  if (text === undefined) return undefined;
  const read = readEndpoint(text);
  if (read.ok) return read.value;
  throw new Failure(exit.usage, `workloadApi: ${read.refusal.message}`);
}

function ownSvid(api: WorkloadApi): Promise<OwnSvid> {
  const now = api.current();
  if (now !== undefined) return Promise.resolve(now);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      const { endpoint, streams } = api.status;
      const why = streams.find(({ error }) => error !== undefined)?.error ?? 'nothing came';
      reject(new Failure(exit.problems, `tls: no SVID of ours from the Workload API at ${endpoint}: ${why}`));
    }, patience);
    const end = api.onChange((svid) => {
      clearTimeout(timer);
      end();
      resolve(svid);
    });
  });
}

function pairsOf(api: WorkloadApi, first: OwnSvid): Pairs {
  return {
    first: credentialsOf(first),
    follow(server, log) {
      const show = (svid: OwnSvid): void => {
        server.setSecureContext({ ...secured, ...credentialsOf(svid) });
        log(`tls: the new SVID of ${svid.spiffeId} is in use`);
      };
      // Until a server is there others may have come, which are not told again.
      const now = api.current();
      if (now !== undefined && now !== first) show(now);
      return api.onChange(show);
    },
  };
}

/**
 * Bundles that came stay until others come: what is lost is only news of them. Who shows a certificate is verified by
 * those of one sort and who shows a token by those of the other, so that both must have come, if the server has both.
 */
function statusOf(api: WorkloadApi): SourceStatus {
  const { streams } = api.status;
  const known = streams.filter(({ ended }) => !ended);
  const times = known.flatMap(({ freshAt }) => freshAt ?? []);
  const synced =
    known.some(({ messages }) => messages > 0) &&
    known.every(({ method, messages }) => method === 'FetchX509SVID' || messages > 0);
  return {
    name: 'workload api',
    synced,
    fresh: synced,
    ...(times.length === 0 ? {} : { age: performance.now() - Math.min(...times) }),
    problems: known.flatMap(({ method, error }) => (error === undefined ? [] : [`${method}: ${error}`])),
  };
}
