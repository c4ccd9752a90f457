import type { ServerHttp2Session } from 'node:http2';
import { Budget } from '../grpc/budget.ts';
import type { Conversation, Listener, Method } from '../grpc/call.ts';
import { GrpcError, status } from '../grpc/status.ts';
import { delta, type Response, stateOfTheWorld } from './encode.ts';
import { readDelta, readStateOfTheWorld, type Said } from './request.ts';
import { type Catalogue, isExtensionType, type Node } from './resource.ts';
import type { Form, NodeStatus } from './status.ts';
import { Subscription } from './subscription.ts';

const aggregated = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const extensions = '/envoy.service.extension.v3.ExtensionConfigDiscoveryService';

export interface Discovery {
  readonly methods: ReadonlyMap<string, Method>;
  /** Of each stream that is open, as it is whenever it is looked at. */
  nodes(): readonly NodeStatus[];
  readonly totals: Totals;
}

/** Since the beginning. */
export interface Totals {
  /** Resources that nodes were sent. */
  readonly sent: number;
  /** Responses that nodes refused. */
  readonly refusals: number;
}

export interface DiscoveryOptions {
  readonly catalogue: Catalogue;
  /** A node could not use what it was sent, in its own words. */
  readonly onRefused: (node: Node, names: readonly string[], words: string) => void;
  readonly onFailed: (node: Node, error: unknown) => void;
}

/**
 * What names may cost that nodes ask for, of everybody and of one connection: for each its letters and somewhat more. A
 * name that nobody knows makes a filter, which takes about eight times of that.
 */
const mostOfNames = { everybody: 33_554_432, connection: 1_048_576 };

interface Spoken {
  readonly form: Form;
  readonly read: (bytes: Uint8Array) => Said;
  readonly write: (response: Response) => Uint8Array[];
}

/** RBAC filters for Envoys over xDS: extensions by name, in both forms of the protocol, alone or aggregated. */
export function discovery({ catalogue, onRefused, onFailed }: DiscoveryOptions): Discovery {
  const open = new Set<Subscription>();
  const totals = { sent: 0, refusals: 0 };
  const names = new Budget(mostOfNames.everybody);
  const namesOf = new WeakMap<ServerHttp2Session, Budget>();
  catalogue.onChange(() => {
    for (const subscription of open) subscription.changed();
  });
  const stream = (spoken: Spoken): Method => ({ streaming: (conversation) => listen(conversation, spoken) });
  const world = stream({ form: 'state-of-the-world', read: readStateOfTheWorld, write: stateOfTheWorld });
  const changes = stream({ form: 'delta', read: readDelta, write: delta });
  return {
    methods: new Map([
      [`${aggregated}/StreamAggregatedResources`, world],
      [`${aggregated}/DeltaAggregatedResources`, changes],
      [`${extensions}/StreamExtensionConfigs`, world],
      [`${extensions}/DeltaExtensionConfigs`, changes],
    ]),
    nodes: () => [...open],
    totals,
  };

  function listen(conversation: Conversation, { form, read, write }: Spoken): Listener {
    let subscription: Subscription | undefined;
    // Who says it once says it in the first request of the stream, whatever that is about.
    let node: Node | undefined;
    return {
      message(bytes) {
        const said = read(bytes);
        node ??= said.node;
        // Over an aggregated stream a node may want other things, which somebody else gives it.
        if (!isExtensionType(said.type)) return;
        subscription ??= begin(node, conversation.session);
        subscription.hear(said);
      },
      half: () => conversation.end(),
      closed() {
        if (subscription === undefined) return;
        subscription.end();
        open.delete(subscription);
      },
    };

    function begin(node: Node | undefined, session: ServerHttp2Session): Subscription {
      if (node === undefined || node.id === '')
        throw new GrpcError(status.invalidArgument, 'got a first request without the id of its node');
      const own = namesOf.get(session) ?? new Budget(mostOfNames.connection, names);
      namesOf.set(session, own);
      const begun = new Subscription(catalogue, node, form, own, {
        send(response) {
          totals.sent += response.resources.length;
          conversation.send(...write(response));
        },
        refused(...refusal) {
          totals.refusals++;
          onRefused(...refusal);
        },
        failed: onFailed,
      });
      open.add(begun);
      return begun;
    }
  }
}
