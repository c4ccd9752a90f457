import { fromBinary } from '@bufbuild/protobuf';
import { olderThanAll } from '../export/version.ts';
import { GrpcError, status } from '../grpc/status.ts';
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
} from '../proto/discovery.ts';
import { proxyOf } from './names.ts';
import { isExtensionType, type Node } from './resource.ts';

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

/** Names that one request may list, and that a node may want at once; and how long one may be, and what is like one. */
export const mostNames = 1_000;
const longestName = 512;

/** Of a node's own words on what it refuses: Envoy writes out all of it first, and why at the end. */
const mostWords = { first: 250, last: 750 };
/** Of the cluster that it says it is of, as it is shown. */
const mostOfCluster = 256;

export function readStateOfTheWorld(bytes: Uint8Array): Said {
  const request = read(() => fromBinary(DiscoveryRequestSchema, bytes));
  if (!isExtensionType(request.typeUrl)) return ofOthers(request);
  return {
    ...common(request),
    names: { all: bounded(request.resourceNames) },
    known: new Map(),
  };
}

export function readDelta(bytes: Uint8Array): Said {
  const request = read(() => fromBinary(DeltaDiscoveryRequestSchema, bytes));
  if (!isExtensionType(request.typeUrl)) return ofOthers(request);
  const { resourceNamesSubscribe, resourceNamesUnsubscribe, initialResourceVersions } = request;
  bounded(Object.keys(initialResourceVersions));
  return {
    ...common(request),
    names: { more: bounded(resourceNamesSubscribe), less: bounded(resourceNamesUnsubscribe) },
    // One that is longer than any of ours is none of ours.
    known: new Map(
      Object.entries(initialResourceVersions).filter(([, version]) => version.length <= longestName),
    ),
  };
}

/** Of another type nothing is kept but who asks, however much is wanted. */
function ofOthers(request: DiscoveryRequest | DeltaDiscoveryRequest): Said {
  return { ...common(request), names: { all: [] }, known: new Map() };
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
  for (const name of names) notLonger('a name', name);
  return names;
}

function notLonger(what: string, { length }: string): void {
  if (length <= longestName) return;
  throw new GrpcError(
    status.invalidArgument,
    `got ${what} of ${length} characters, want at most ${longestName}`,
  );
}

function common({ typeUrl, node, responseNonce, errorDetail }: DiscoveryRequest | DeltaDiscoveryRequest) {
  return {
    type: typeUrl,
    nonce: responseNonce,
    ...(errorDetail === undefined ? {} : { error: bothEnds(errorDetail.message) }),
    ...(node === undefined ? {} : { node: nodeOf(node) }),
  };
}

/** What else a node says of itself may be long, and nobody asks for it. */
function nodeOf(node: NonNullable<DiscoveryRequest['node']>): Node {
  const { id, cluster, metadata } = node;
  notLonger('an id', id);
  const proxy = proxyOf({ id, cluster, metadata });
  for (const name of Object.values(proxy ?? {})) notLonger('the name of a mesh or dataplane', name);
  const envoy = envoyOf(node);
  return {
    id,
    cluster: beginning(cluster, mostOfCluster),
    proxy: proxy === undefined || envoy === undefined ? proxy : { ...proxy, envoy },
  };
}

/** Envoy says its own version in numbers. Who says none is taken for a new one. */
function envoyOf({ userAgentVersionType: said }: NonNullable<DiscoveryRequest['node']>): string | undefined {
  if (said.case !== 'userAgentBuildVersion') return undefined;
  const { version } = said.value;
  if (version === undefined || version.majorNumber === 0) return undefined;
  return olderThanAll({ major: version.majorNumber, minor: version.minorNumber });
}

function bothEnds(text: string): string {
  const { first, last } = mostWords;
  if (text.length <= first + last) return text;
  return copied(`${text.slice(0, first)} … ${text.slice(-last)}`);
}

function beginning(text: string, most: number): string {
  return text.length <= most ? text : copied(text.slice(0, most));
}

/** A part of a text keeps the whole in memory. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
