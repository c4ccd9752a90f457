import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ChannelCredentials, Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { checkPath } from '../../../src/envoy/authz/service.ts';
import {
  CheckRequestSchema,
  CheckResponseSchema,
} from '../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import type { Certificate } from '../../support/certificates/index.ts';
import { extensionsOf } from '../../support/envoy/extensions.ts';

/** The client of grpc-js, as whoever is no Envoy asks `placet serve`. */

export interface Answer {
  readonly code: number;
  readonly details: string;
  readonly bytes: Buffer;
}

/** On a connection of its own. */
export function clientOf(port: number, by: ChannelCredentials = credentials.createInsecure()): Client {
  const options = { 'grpc.use_local_subchannel_pool': 1, 'grpc.ssl_target_name_override': 'placet' };
  return new Client(`127.0.0.1:${port}`, by, options);
}

/** Services of a mesh have IDs, not host names. */
export function tlsOf(bundle: string, certificate?: Certificate): ChannelCredentials {
  const own =
    certificate === undefined ? [] : [certificate.key, certificate.chain].map((pem) => Buffer.from(pem));
  return credentials.createSsl(Buffer.from(bundle), own[0] ?? null, own[1] ?? null, {
    checkServerIdentity: () => undefined,
  });
}

export function call(client: Client, path: string, message: Uint8Array): Promise<Answer> {
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, bytes: Buffer = Buffer.alloc(0)) =>
      resolve({ code: error?.code ?? 0, details: error?.details ?? '', bytes });
    const deadline = Date.now() + 20_000;
    client.makeUnaryRequest(
      path,
      (same: Buffer) => same,
      (same: Buffer) => same,
      Buffer.from(message),
      { deadline },
      done,
    );
  });
}

type Texts = Readonly<Record<string, string>>;

/** A question about GET /, as an Envoy has it; `destination`: fields of it. */
export function question(destination: Texts, certificate?: Certificate): Uint8Array {
  const source = certificate === undefined ? {} : { certificate: encodeURIComponent(certificate.chain) };
  const contextExtensions = extensionsOf(destination);
  const request = { http: { method: 'GET', path: '/' } };
  const attributes = { source, contextExtensions, request };
  return toBinary(CheckRequestSchema, create(CheckRequestSchema, { attributes }));
}

/** The code of what is said about it, and why; or that of the call. */
export async function check(client: Client, message: Uint8Array): Promise<readonly unknown[]> {
  const { code, details, bytes } = await call(client, checkPath, message);
  if (code !== 0) return [code, details];
  const { status, dynamicMetadata } = fromBinary(CheckResponseSchema, bytes);
  return [0, status?.code, dynamicMetadata?.['reason']];
}

export const healthPath = '/grpc.health.v1.Health';

/** A HealthCheckRequest about a service. */
export function healthOf(name: string): Buffer {
  return name === '' ? Buffer.alloc(0) : Buffer.from([0x0a, name.length, ...Buffer.from(name)]);
}

/** HealthCheckResponses of a service as they come, and the code that it ends with. */
export function watch(client: Client, name: string) {
  const stream = client.makeServerStreamRequest(
    `${healthPath}/Watch`,
    (same: Buffer) => same,
    (same: Buffer) => [...same],
    healthOf(name),
  );
  const states: number[][] = [];
  stream.on('data', (state: number[]) => states.push(state));
  stream.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => stream.on('status', ({ code }) => resolve(code)));
  return { states, ended, cancel: () => stream.cancel() };
}
