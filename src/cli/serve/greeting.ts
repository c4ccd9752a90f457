import type { Overview } from '../../gateway/live/overview.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Request } from '../../pdp/model/request.ts';
import { count } from '../terminal/wrap.ts';
import type { Address } from './address.ts';
import type { CallerRule } from './config-schema.ts';

export interface Started {
  readonly url: string;
  readonly address: Address;
  readonly policies: readonly string[];
  /** Whether these are the ones that come with Placet. */
  readonly shipped: boolean;
  readonly overview: Overview;
  readonly inventory: Inventory;
  readonly rules: readonly CallerRule[];
  /** Where Envoys ask. */
  readonly envoys?: string;
  /** The API server that is followed. */
  readonly cluster?: string;
}

/** What whoever started it wants to know, and what to try. */
export function greeting(started: Started): string {
  const { url, address, policies, shipped, overview, rules } = started;
  const { counts, snapshot } = overview;
  const held =
    counts === undefined
      ? ''
      : `: ${count(counts.policies, 'policy', 'policies')}, ${count(counts.rules, 'rule')}`;
  const lines = [
    `placet listens on ${url}`,
    ...(started.envoys === undefined ? [] : [`  envoys    ${started.envoys} (by gRPC: ext_authz and xDS)`]),
    `  policies  ${shipped ? 'those that come with placet' : policies.join(', ')}${held}`,
    ...(started.cluster === undefined ? [] : [`  cluster   ${started.cluster}`]),
    `  snapshot  ${snapshot}`,
    ...rules.map(
      (rule, i) => `  ${(i === 0 ? 'callers' : '').padEnd(10)}${whoOf(rule)}: ${rule.roles.join(', ')}`,
    ),
    `  reference ${address.kind === 'socket' ? '' : url}/docs, /openapi.json`,
  ];
  const try_ = curl(started);
  return (try_ === undefined ? lines : [...lines, '', 'Ask it:', `  ${try_}`]).join('\n');
}

function whoOf({ spiffeId, spiffeIdPrefix, serviceAccount, socket }: CallerRule): string {
  if (spiffeId !== undefined) return spiffeId;
  if (spiffeIdPrefix !== undefined) return `${spiffeIdPrefix}[/…]`;
  if (serviceAccount !== undefined) return `service account ${serviceAccount}`;
  return socket === true ? 'whoever may open the socket' : 'whoever is on this machine';
}

/** A command that works as it stands, where nobody has to prove who asks. */
function curl({ url, address, rules, inventory, shipped }: Started): string | undefined {
  if (!rules.some(({ loopback, socket }) => (loopback ?? socket) === true)) return undefined;
  const body = JSON.stringify(shipped ? example : questionFor(inventory));
  const to =
    address.kind === 'socket'
      ? `--unix-socket ${quoted(address.path)} http://localhost/decide`
      : `${url}/decide`;
  // A certificate that was made for another name is not the point here.
  const insecure = url.startsWith('https:') ? ' -k' : '';
  return `curl -s${insecure} ${to} -H 'content-type: application/json' -d ${quoted(body)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Of the policies that come with Placet. */
const example: Request = {
  source: { attributes: { 'k8s:ns': 'legacy' } },
  destination: { service: 'shadow/api' },
};

function questionFor({ services, dataplanes }: Inventory): Request {
  const [service] = services.keys();
  if (service !== undefined) return { destination: { service } };
  const [dataplane] = dataplanes.values();
  if (dataplane !== undefined) return { destination: { mesh: dataplane.mesh, dataplane: dataplane.name } };
  return { destination: { attributes: { 'service:name': 'api' } } };
}
