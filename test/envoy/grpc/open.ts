import type { Http2Server } from 'node:http2';
import { createGrpcServer, type GrpcLimits, type GrpcServerOptions } from '../../../src/envoy/grpc/server.ts';

export interface Options extends Omit<GrpcServerOptions, 'limits' | 'load'> {
  readonly limits?: Partial<GrpcLimits>;
  readonly load?: GrpcServerOptions['load'];
}

const limits = { streamsPerSession: 1_000, sessions: 2_000, turn: 1_000, reading: 10_000 };

const load = { enter: () => true, leave() {} };

/** A server with limits that no test reaches, but those that it names. */
export function openGrpc(options: Options): Http2Server {
  return createGrpcServer({ load, ...options, limits: { ...limits, ...options.limits } });
}
