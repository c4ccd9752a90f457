import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { readCheck } from '../../../src/envoy/authz/check-request.ts';
import { checkResponse } from '../../../src/envoy/authz/check-response.ts';
import { destinationNamespace } from '../../../src/envoy/authz/destination.ts';
import { authorizationMethods, checkPath } from '../../../src/envoy/authz/service.ts';
import { jwtFilter } from '../../../src/envoy/export/exchange/token.ts';
import type { Method } from '../../../src/envoy/grpc/call.ts';
import { frame } from '../../../src/envoy/grpc/frames.ts';
import { asker } from '../../../src/gateway/decide/ask.ts';
import type { Service } from '../../../src/gateway/service.ts';
import { roles } from '../../../src/pdp/model/request.ts';
import { openGrpc } from '../../envoy/grpc/open.ts';
import { settings } from '../../gateway/given.ts';
import { snapshotOf } from '../placet.ts';
import { generators } from '../workloads/index.ts';
import type { WorkloadName } from '../workloads/types.ts';

/** One server of one sort in a process of its own, on the port that it prints. */
const [sort, size] = process.argv.slice(2) as [string, string];

// Whoever profiles it wants it to end in order.
process.once('SIGTERM', () => process.exit());

const metadata = new Set([jwtFilter, destinationNamespace]);
const [allow, refused] = [true, false].map((yes) =>
  checkResponse({
    allow: yes,
    metadata: [],
    upstream: [],
    remove: [],
    denial: { status: 403, body: '' },
  }),
) as [Buffer, Buffer];

/** Servers that let everybody in: one that reads nothing of a call, and one that reads what there is to decide by. */
const bare: Readonly<Record<string, (message: Buffer) => Buffer>> = {
  'reads nothing': () => allow,
  reads: (message) => (readCheck(message, metadata).extensions.size > 0 ? allow : refused),
};

/** No more than it takes to answer calls of gRPC on `node:http2`. */
function bareServer(answer: (message: Buffer) => Buffer): Http2Server {
  const server = createServer();
  server.on('stream', (stream) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const message = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(frame(answer(message.subarray(5))));
    });
  });
  return server;
}

if (sort === 'grpc-js') {
  const server = new Server();
  const as = (bytes: Buffer) => bytes;
  const definition = {
    path: checkPath,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: as,
    requestDeserialize: as,
    responseSerialize: as,
    responseDeserialize: as,
  };
  server.addService(
    { check: definition },
    { check: (_: unknown, done: (e: null, b: Buffer) => void) => done(null, allow) },
  );
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_, port) => console.log(port));
} else {
  const answer = bare[sort];
  // Whoever else is on the machine makes turns long; nothing is to be turned away here.
  const server =
    answer === undefined ? openGrpc({ methods: decided(sort as WorkloadName) }) : bareServer(answer);
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

/**
 * Answers whose attributes are all in the call. The service believes them of nobody over this way: what a cluster would
 * tell it of both ends stands in the question instead, so that it is read there and decided by here.
 */
function decided(workload: WorkloadName): ReadonlyMap<string, Method> {
  const snapshot = snapshotOf(generators[workload](Number(size), 0).documents);
  const caller = { name: 'envoy', roles: new Set(roles) };
  const service: Service = {
    live: {
      current: () => snapshot,
      explain: () => Promise.reject(new Error('not here')),
      readiness: () => ({ ready: true, sources: [] }),
    },
    identify: () => Promise.reject(new Error('not here')),
    callers: { caller: () => caller },
    observer: { decided() {}, shed() {} },
    settings,
  };
  const ask = asker(service);
  return authorizationMethods({
    reading: {
      destinations: { order: ['extensions'], ofPrincipal: () => undefined },
      principals: 'certificate-only',
      addresses: false,
      claims: 'request',
    },
    denial: { status: 403, body: 'denied\n' },
    tellUpstream: false,
    answer: ({ claims }) => ask(claims, caller, 'ext_authz'),
  });
}
