import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { evaluator } from '../../../src/gateway/authzen/evaluate.ts';
import type { Entity } from '../../../src/gateway/authzen/types.ts';
import { asker } from '../../../src/gateway/decide/ask.ts';
import { channelFor } from '../../../src/gateway/decide/join.ts';
import type { Service, Snapshot } from '../../../src/gateway/service.ts';
import { createEngine } from '../../../src/pdp/engine.ts';
import { isRequest } from '../../../src/pdp/model/read-request.ts';
import type { Request, Role } from '../../../src/pdp/model/request.ts';
import { generate } from '../../oracle/generate.ts';
import { loadValues } from '../../policy/loading.ts';
import { fixture, open } from './world.ts';

/** What AuthZEN can say of a request; undefined where it has no words for it. */
function evaluationOf({ source = {}, destination, request = {} }: Request) {
  const { mesh = 'default', dataplane, inbound, route, service, namespace } = destination;
  const { spiffeId, attributes = {}, ...others } = source;
  const stated = Object.values(attributes);
  if (spiffeId === undefined || spiffeId === '' || Object.keys(others).length > 0) return undefined;
  if (request.method === undefined || namespace !== undefined || destination.attributes !== undefined)
    return undefined;
  if (stated.some((value) => typeof value !== 'string')) return undefined;
  if (Object.keys(attributes).some((key) => !key.includes(':'))) return undefined;
  const { method, ...parts } = request;
  const resource: Entity =
    service === undefined
      ? {
          type: 'dataplane',
          id: [mesh, dataplane, ...(inbound === undefined ? [] : [inbound])].join('/'),
          ...(route === undefined ? {} : { properties: { route } }),
        }
      : { type: 'service', id: service };
  if ([mesh, dataplane, inbound].some((part) => String(part).includes('/'))) return undefined;
  return {
    subject: { type: 'spiffe', id: spiffeId, properties: attributes },
    action: { name: method },
    resource,
    context: parts,
  };
}

const roles: readonly Role[][] = [['decide'], ['relay'], ['assert'], ['relay', 'assert', 'explain']];

test('[AZ6] says what decide says, on random worlds', async () => {
  let asked = 0;
  let allowed = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const { documents, requests } = generate(seed, 20);
    const loaded = loadValues(...documents);
    const engine = createEngine(loaded.rules, loaded.inventory, loaded.snapshot);
    const snapshot: Snapshot = {
      name: engine.snapshot,
      since: 0,
      inventory: loaded.inventory,
      decide: engine.decide,
      named: engine.named,
      placeOf: () => undefined,
    };
    const caller = { name: 'test', roles: new Set(roles[seed % roles.length]) };
    const service = {
      live: { current: () => snapshot },
      observer: { decided() {} },
      settings: { ttl: 5 },
    } as unknown as Service;
    const evaluate = evaluator(asker(service), snapshot, caller);
    for (const one of requests.filter((request) => isRequest(request))) {
      const { at: _, ...request } = one;
      const expected = engine.decide(request, channelFor(caller.roles));
      const evaluation = evaluationOf(request);
      if (evaluation === undefined) continue;
      const { decision, context } = await evaluate(evaluation);
      expect([seed, decision, context?.['reason']]).toEqual([
        seed,
        expected.decision === 'allow',
        expected.reason,
      ]);
      asked++;
      if (decision) allowed++;
    }
  }
  console.log(`${asked} asked, ${allowed} allowed`);
  expect(asked).toBeGreaterThan(300);
  expect(allowed).toBeGreaterThan(50);
}, 300_000);

test('[AZ4] no byte in the ID of a request ends the service', async () => {
  const world = await open(fixture('certification.yaml'));
  const { port, hostname } = new URL(world.url);
  for (let byte = 1; byte < 256; byte++) {
    const head = `GET /x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-request-id: a${String.fromCharCode(byte)}b\r\n\r\n`;
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = createConnection(Number(port), hostname, () => socket.write(head, 'latin1'));
      let text = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect([byte, reply.slice(0, 12)]).toEqual([byte, expect.stringMatching(/^HTTP\/1\.1 40[04]$/)]);
  }
  await world.close();
});
