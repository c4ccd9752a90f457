import { find, protocolOf } from '../../../../../src/envoy/export/target.ts';
import type { FilterKind } from '../../../../../src/envoy/export/types.ts';
import { Random } from '../../../../oracle/random.ts';
import { allows, type Client, drawClients } from '../clients.ts';
import type { Form, WorldSet } from '../sets.ts';

/** One set as filters of one sort enforce it: three listeners for requests, two for connections. */
export interface Job {
  readonly world: WorldSet;
  readonly filter: FilterKind;
  /** None: what the set says has no export, and Placet alone is asked. */
  readonly form: Form | undefined;
  readonly listeners: { readonly native: string; readonly grpc: string; readonly http: string };
  readonly clients: readonly Client[];
  readonly loose: boolean;
}

/** Literal and approximate forms are of no use here: all ways are to say the same. */
export function jobsOf(world: WorldSet): Job[] {
  const { seed, set, asked, exports } = world;
  const usable = exports.filter(({ options }) => options.shadow !== 'paper' && options.form !== 'table');
  const own: FilterKind = protocolOf(find(asked, set.loaded.inventory)) === 'tcp' ? 'network' : 'http';
  const filters = new Set([own, ...usable.map(({ exported }) => exported.report.filter)]);
  const clients = impostors(own === 'http' ? world.clients : manyOf(world));
  return [...filters].map((filter) => {
    const forms = usable.filter(({ exported }) => exported.report.filter === filter);
    return jobOf(world, filter, forms[seed % Math.max(forms.length, 1)], clients);
  });
}

export function jobOf(
  world: WorldSet,
  filter: FilterKind,
  form: Form | undefined,
  clients: readonly Client[],
): Job {
  const named = (way: string) => `${world.seed}-${filter}-${way}`;
  const listeners = { native: named('native'), grpc: named('grpc'), http: named('http') };
  return { world, filter, form, listeners, clients, loose: world.seed % 4 !== 0 };
}

/** A client of a connection asks one question, not several. */
function manyOf({ seed, set, asked, tags, clients }: WorldSet): readonly Client[] {
  const random = new Random(seed + 0x636f6e6e);
  return [...clients, ...Array.from({ length: 3 }, () => drawClients(random, set, asked, tags)).flat()];
}

/** Each says in a header that it is another, who is allowed something. */
function impostors(clients: readonly Client[]): Client[] {
  const allowed = clients.filter(allows);
  return clients.map((client) => {
    const other = allowed.find((one) => elementOf(one) !== elementOf(client));
    return other === undefined ? client : { ...client, claims: elementOf(other) };
  });
}

const namesOf = ({ peer }: Client) => peer.uriSans.map((uri) => `URI=${uri}`);

/** Of one without a URI too: where a service allows everybody, whoever has none is allowed. */
const elementOf = (client: Client) => ['By=spiffe://td/x', ...namesOf(client)].join(';');
