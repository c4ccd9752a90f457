import { create, fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import {
  type AttributeContext,
  AttributeContextSchema,
} from '../../../src/envoy/proto/generated/envoy/service/auth/v3/attribute_context_pb.js';
import { CheckRequestSchema } from '../../../src/envoy/proto/generated/envoy/service/auth/v3/external_auth_pb.js';
import { check, clientOf } from '../../live/service/grpc.ts';
import { extensionsOf } from '../../support/envoy/extensions.ts';
import { reference } from '../reference.ts';
import { generators } from '../workloads/index.ts';
import { certificateOf } from './servers.ts';
import type { Question, World } from './worlds.ts';

/** One call, and what there is to say to it. */
export interface Message {
  readonly attributes: AttributeContext;
  readonly allowed: boolean;
}

/** As an Envoy asks, with the certificates of clients. */
export async function messagesOf(world: World): Promise<readonly Message[]> {
  return await Promise.all(
    world.questions.map(async ({ spiffeId, destination, path, allowed }: Question) => {
      const { chain } = await certificateOf(world, spiffeId);
      const http = { method: 'GET', path, headers: { ':path': path, 'user-agent': 'curl/8' } };
      const attributes = fromJson(AttributeContextSchema, {
        source: { principal: spiffeId, certificate: encodeURIComponent(chain) },
        request: { http },
        contextExtensions: extensionsOf(destination),
      });
      return { attributes, allowed };
    }),
  );
}

/** Of workload A, with all attributes in the call: 14 of the source, 6 of the destination. */
export function toldMessages(size: number, count: number): readonly Message[] {
  const workload = generators.A(size, count);
  const decide = reference(workload);
  return workload.requests.map((text) => {
    const request = JSON.parse(text) as JsonObject;
    const attributes = fromJson(AttributeContextSchema, {
      contextExtensions: { 'placet.service': 'any/any' },
      metadataContext: { filterMetadata: { 'envoy.filters.http.jwt_authn': { request } } },
    });
    return { attributes, allowed: decide(text).decision === 'allow' };
  });
}

/** As ghz has it from check.proto: bytes in base64. */
export function asBytes({ attributes }: Pick<Message, 'attributes'>): object {
  return { attributes: Buffer.from(toBinary(AttributeContextSchema, attributes)).toString('base64') };
}

/** Asks each once: what is measured is what is right. */
export async function expectVerdicts(port: number, messages: readonly Message[]): Promise<void> {
  const client = clientOf(port);
  try {
    for (const { attributes, allowed } of messages) {
      const bytes = toBinary(CheckRequestSchema, create(CheckRequestSchema, { attributes }));
      const said = await check(client, bytes);
      const [, code] = said;
      if ((code === 0) !== allowed)
        throw new Error(`got ${JSON.stringify(said)}, want ${allowed ? 'an allow' : 'a deny'}`);
    }
  } finally {
    client.close();
  }
}
