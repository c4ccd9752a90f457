import { fromBinary } from '@bufbuild/protobuf';
import { GrpcError, status } from '../grpc/status.ts';
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
} from '../proto/discovery.ts';
import type { Node } from './resource.ts';

/** What a node says, in either of the two forms of the protocol. */
export interface Said {
  readonly type: string;
  readonly node?: Node;
  readonly nonce: string;
  /** Envoy's own words on what it could not use. */
  readonly error?: string;
  /** All that is wanted from now on, or what is more and what less. */
  readonly names:
    | { readonly all: readonly string[] }
    | { readonly more: readonly string[]; readonly less: readonly string[] };
  /** By name, what the node has from before. */
  readonly known: ReadonlyMap<string, string>;
}

/** Names that one request may list, and that a node may want at once; and how long one may be. */
export const mostNames = 1_000;
export const longestName = 512;

/** Of a node's own words on what it refuses. */
const mostWords = 1_000;

export function readStateOfTheWorld(bytes: Uint8Array): Said {
  const request = read(() => fromBinary(DiscoveryRequestSchema, bytes));
  return {
    ...common(request),
    names: { all: bounded(request.resourceNames) },
    known: new Map(),
  };
}

export function readDelta(bytes: Uint8Array): Said {
  const request = read(() => fromBinary(DeltaDiscoveryRequestSchema, bytes));
  const { resourceNamesSubscribe, resourceNamesUnsubscribe, initialResourceVersions } = request;
  bounded(Object.keys(initialResourceVersions));
  return {
    ...common(request),
    names: { more: bounded(resourceNamesSubscribe), less: bounded(resourceNamesUnsubscribe) },
    known: new Map(Object.entries(initialResourceVersions)),
  };
}

function read<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new GrpcError(status.invalidArgument, 'got no discovery request');
  }
}

function bounded(names: readonly string[]): readonly string[] {
  if (names.length > mostNames)
    throw new GrpcError(status.invalidArgument, `got ${names.length} names, want at most ${mostNames}`);
  const longest = Math.max(0, ...names.map((name) => name.length));
  if (longest > longestName)
    throw new GrpcError(
      status.invalidArgument,
      `got a name of ${longest} characters, want at most ${longestName}`,
    );
  return names;
}

function common({ typeUrl, node, responseNonce, errorDetail }: DiscoveryRequest | DeltaDiscoveryRequest) {
  return {
    type: typeUrl,
    nonce: responseNonce,
    ...(errorDetail === undefined ? {} : { error: errorDetail.message.slice(0, mostWords) }),
    ...(node === undefined
      ? {}
      : { node: { id: node.id, cluster: node.cluster, metadata: node.metadata ?? {} } }),
  };
}
