import type { Conversation, Listener, Method } from '../grpc/call.ts';
import { GrpcError, status } from '../grpc/status.ts';
import { delta, type Response, stateOfTheWorld } from './encode.ts';
import { readDelta, readStateOfTheWorld, type Said } from './request.ts';
import { type Catalogue, extensionType, type Node } from './resource.ts';
import { type NodeStatus, Subscription } from './subscription.ts';

const aggregated = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const extensions = '/envoy.service.extension.v3.ExtensionConfigDiscoveryService';

export interface Discovery {
  readonly methods: ReadonlyMap<string, Method>;
  /** Of each stream that is open. */
  nodes(): readonly NodeStatus[];
}

export interface DiscoveryOptions {
  readonly catalogue: Catalogue;
  /** A node could not use what it was sent, in its own words. */
  readonly onRefused: (node: Node, names: readonly string[], words: string) => void;
  readonly onFailed: (node: Node, error: unknown) => void;
}

interface Form {
  readonly read: (bytes: Uint8Array) => Said;
  readonly write: (response: Response) => Uint8Array[];
}

/** RBAC filters for Envoys over xDS: extensions by name, in both forms of the protocol, alone or aggregated. */
export function discovery({ catalogue, onRefused, onFailed }: DiscoveryOptions): Discovery {
  const open = new Set<Subscription>();
  catalogue.onChange(() => {
    for (const subscription of open) subscription.changed();
  });
  const stream = ({ read, write }: Form): Method => ({
    streaming: (conversation) => listen(conversation, read, write),
  });
  const world = stream({ read: readStateOfTheWorld, write: stateOfTheWorld });
  const changes = stream({ read: readDelta, write: delta });
  return {
    methods: new Map([
      [`${aggregated}/StreamAggregatedResources`, world],
      [`${aggregated}/DeltaAggregatedResources`, changes],
      [`${extensions}/StreamExtensionConfigs`, world],
      [`${extensions}/DeltaExtensionConfigs`, changes],
    ]),
    nodes: () => [...open].map((subscription) => subscription.status),
  };

  function listen(conversation: Conversation, read: Form['read'], write: Form['write']): Listener {
    let subscription: Subscription | undefined;
    return {
      message(bytes) {
        const said = read(bytes);
        // Over an aggregated stream a node may want other things, which somebody else gives it.
        if (said.type !== '' && said.type !== extensionType) return;
        subscription ??= begin(said.node);
        subscription.hear(said);
      },
      half: () => conversation.end(),
      closed() {
        if (subscription === undefined) return;
        subscription.end();
        open.delete(subscription);
      },
    };

    /** A node says who it is in its first request only. */
    function begin(node: Node | undefined): Subscription {
      if (node === undefined || node.id === '')
        throw new GrpcError(status.invalidArgument, 'got a first request without the id of its node');
      const begun = new Subscription(catalogue, node, {
        send: (response) => void conversation.send(...write(response)),
        refused: onRefused,
        failed: onFailed,
      });
      open.add(begun);
      return begun;
    }
  }
}
