import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Frames, frame } from '../../../src/envoy/grpc/frames.ts';
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from '../../../src/envoy/proto/generated/envoy/service/discovery/v3/discovery_pb.js';
import { extensionType as typeUrl } from '../../../src/envoy/xds/resource.ts';

export type Form = 'delta' | 'state of the world';

export interface Pushed {
  readonly messages: number;
  readonly resources: number;
  readonly bytes: number;
}

/** Nodes that take whatever they are sent, each with a connection of its own as Envoys have them. */
export interface Nodes {
  /** What all of them got so far. */
  readonly pushed: Pushed;
  /** Resources that each got so far. */
  readonly got: readonly number[];
  /** Resolves when each of these has got more than it had when this was asked. */
  more(which: readonly number[]): Promise<void>;
  close(): void;
}

const paths: Readonly<Record<Form, string>> = {
  delta: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
  'state of the world': '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
};

/** As wide as Envoy's. */
const streamWindow = 16 * 2 ** 20;
const connectionWindow = 24 * 2 ** 20;
const mostBytes = 64 * 2 ** 20;

/** All of them ask at once. */
export function openNodes(port: number, form: Form, ids: readonly string[], resource: string): Nodes {
  const pushed = { messages: 0, resources: 0, bytes: 0 };
  const got = ids.map(() => 0);
  const sessions = new Set<ClientHttp2Session>();
  const waiting = new Set<() => void>();
  let closing = false;
  ids.forEach((id, at) => {
    const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: streamWindow } });
    sessions.add(session);
    session.once('connect', () => session.setLocalWindowSize(connectionWindow));
    session.on('error', broken);
    const stream = session.request({
      ':method': 'POST',
      ':path': paths[form],
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', broken);
    stream.on('close', () => broken(new Error(`the stream of ${id} has ended`)));
    const frames = new Frames(mostBytes);
    stream.on('data', (chunk: Buffer) => {
      pushed.bytes += chunk.length;
      for (const message of frames.push(chunk)) take(stream, at, message);
    });
    stream.write(frame(asked(form, { id, resource })));
  });
  return {
    pushed,
    got,
    more(which) {
      let left = which.map((at) => ({ at, before: got[at]! }));
      return new Promise((resolve) => {
        const look = (): void => {
          left = left.filter(({ at, before }) => got[at] === before);
          if (left.length > 0) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
    close() {
      closing = true;
      for (const session of sessions) session.destroy();
    },
  };

  function broken(error: Error): void {
    if (!closing) throw error;
  }

  function take(stream: ClientHttp2Stream, at: number, message: Buffer): void {
    const { nonce, resources } = fromBinary(
      form === 'delta' ? DeltaDiscoveryResponseSchema : DiscoveryResponseSchema,
      message,
    );
    pushed.messages++;
    pushed.resources += resources.length;
    got[at]! += resources.length;
    stream.write(frame(asked(form, { nonce, resource })));
    for (const look of waiting) look();
  }
}

interface Asking {
  readonly id?: string;
  readonly nonce?: string;
  readonly resource: string;
}

/** The first request says who asks, those after it that something was taken. */
function asked(form: Form, { id, nonce = '', resource }: Asking): Uint8Array {
  const node = id === undefined ? {} : { node: { id, cluster: 'bench' } };
  const common = { ...node, typeUrl, responseNonce: nonce };
  if (form === 'state of the world')
    return toBinary(
      DiscoveryRequestSchema,
      create(DiscoveryRequestSchema, { ...common, resourceNames: [resource] }),
    );
  const resourceNamesSubscribe = id === undefined ? [] : [resource];
  return toBinary(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, { ...common, resourceNamesSubscribe }),
  );
}
