import { readFileSync } from 'node:fs';
import type { AttributesRequest } from '../bench/workloads/a.ts';
import { a } from '../bench/workloads/a.ts';
import { type Random, seeded } from '../bench/workloads/random.ts';

/** One thing to ask, and what has to come back. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly status: number;
  /** How many decisions that makes. */
  readonly decisions: number;
}

/** What clients know of the service that they ask. */
export interface World {
  /** Rules of the workload that stand beside `policies/`. */
  readonly rules: number;
  /** Certificates of clients, in PEM; the service knows the authority of the first ones only. */
  readonly certificates: readonly string[];
}

const batchSize = 20;
const json = 'application/json';

export function workload(rules: number) {
  return a(rules, 2_000);
}

/** Questions of all kinds, in an order that a seed decides. */
export function questions({ rules, certificates }: World, seed: number): () => Question {
  const random = seeded(seed);
  const requests = workload(rules).requests;
  const pems = certificates.map((file) => readFileSync(file, 'utf8'));
  const destinations = [
    { namespace: 'shop', attributes: { 'k8s:ns': 'shop' } },
    { namespace: 'web', attributes: { 'k8s:ns': 'web' } },
    { service: 'shadow/api' },
    { service: 'tiers/api' },
    { service: 'nobody/knows' },
  ];
  const decide = (body: object): Question => ask('/decide', body, 1);
  const kinds: readonly (readonly [number, (random: Random) => Question])[] = [
    [60, () => ask('/decide', random.pick(requests), 1)],
    [
      12,
      () => decide({ source: { certificate: random.pick(pems) }, destination: random.pick(destinations) }),
    ],
    [
      6,
      () =>
        decide({ source: { attributes: { 'k8s:ns': 'legacy' } }, destination: random.pick(destinations) }),
    ],
    [
      8,
      () => {
        const some = Array.from({ length: batchSize }, () => random.pick(requests));
        return ask('/decide/batch', `{"requests":[${some.join(',')}]}`, batchSize);
      },
    ],
    [6, () => ask('/access/v1/evaluation', evaluation(random.pick(requests)), 1)],
    [
      3,
      () => {
        const evaluations = Array.from({ length: 4 }, () => evaluation(random.pick(requests)));
        return ask('/access/v1/evaluations', { evaluations }, evaluations.length);
      },
    ],
    [5, () => random.pick(bad)],
  ];
  return () => {
    let left = random.int(100);
    for (const [share, make] of kinds) {
      if (left < share) return make(random);
      left -= share;
    }
    throw new Error('the shares are less than 100');
  };
}

function ask(path: string, body: object | string, decisions: number): Question {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'POST', path, type: json, body: text, status: 200, decisions };
}

function evaluation(request: string): object {
  const { source, destination } = JSON.parse(request) as AttributesRequest;
  return {
    subject: { type: 'workload', id: 'someone', properties: source.attributes },
    action: { name: 'GET' },
    resource: { type: 'service', id: `${destination.namespace}/${destination.attributes['service:name']}` },
  };
}

const bad: readonly Question[] = [
  refused(400, '{"source":'),
  refused(400, '{"destination":{"service":"a/b"},"destination":{"service":"a/c"}}'),
  refused(400, '{"destination":{"service":7},"nothing":1}'),
  refused(400, `${'['.repeat(2_000)}${']'.repeat(2_000)}`),
  refused(415, 'service=a/b', 'application/x-www-form-urlencoded'),
  { ...refused(405, ''), method: 'PUT' },
  { ...refused(404, '{}'), path: '/decides' },
  { ...refused(400, '{"subject":{}}'), path: '/access/v1/evaluation' },
];

function refused(status: number, body: string, type = json): Question {
  return { method: 'POST', path: '/decide', type, body, status, decisions: 0 };
}
