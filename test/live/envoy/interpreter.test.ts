import { describe, expect } from 'vitest';
import type { HttpRequest, Peer } from '../../../src/envoy/interpreter/evidence.ts';
import type { RbacFilter } from '../../../src/envoy/interpreter/filter.ts';
import { readRbac } from '../../../src/envoy/interpreter/interpret.ts';
import * as build from '../../envoy/interpreter/build.ts';
import { Filters } from '../../envoy/interpreter/generate.ts';
import { ids, methods, paths, snis } from '../../envoy/interpreter/generate-values.ts';
import { live } from '../../live.ts';
import { Random } from '../../oracle/random.ts';
import {
  type Authority,
  authority,
  type Certificate,
  dns,
  leaf,
  uri,
} from '../../support/certificates/index.ts';
import { openLab, type Said } from '../../support/envoy/lab.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { acceptUntrusted } from '../../support/envoy/trust.ts';

/** The interpreter against a real Envoy: random filters, clients with every sort of certificate, and requests. */

interface Client {
  readonly peer: Peer;
  readonly certificate?: Certificate;
}

async function clients(td: Authority): Promise<Client[]> {
  const rogue = await authority('td', { generation: 1 });
  const one = async (
    uriSans: string[],
    dnsSans: string[] = [],
    commonName?: string,
    signer = td,
  ): Promise<Client> => {
    const subject = commonName === undefined ? {} : { subject: `CN=${commonName}` };
    const sans = [...uriSans.map(uri), ...dnsSans.map(dns)];
    const name = commonName === undefined ? {} : { commonName };
    return {
      peer: { uriSans, dnsSans, ...subject, presented: true, validated: signer === td },
      certificate: await leaf(signer, { sans, ...name }),
    };
  };
  const [a = '', ax = '', ab = '', b = '', other = '', kuma = '', comma = ''] = ids;
  return [
    { peer: { uriSans: [], dnsSans: [], presented: false, validated: false } },
    ...(await Promise.all([
      one([a]),
      one([ax]),
      one([ab], [], 'w'),
      one([a, kuma]),
      one([kuma, a]),
      one([comma]),
      one([], [a]),
      one([], [b, 'two.example']),
      one([b], [a], a),
      one([], [], a),
      one([other]),
      one([a], [], undefined, rogue),
      one(['SPIFFE://td/ns/a']),
    ])),
  ];
}

const meta = { a: { s: 'prod-1', n: 3, b: true, l: ['x', 'prod-1', 3], z: null } };
const before = [
  build.extension('envoy.extensions.filters.http.set_metadata.v3.Config', {
    metadata: [{ metadata_namespace: 'meta', value: meta }],
  }),
  build.extension('envoy.extensions.filters.http.set_filter_state.v3.Config', {
    on_request_headers: [
      {
        object_key: 'fs',
        factory_key: 'envoy.string',
        skip_if_empty: true,
        format_string: { omit_empty_values: true, text_format_source: { inline_string: '%REQ(X-A)%' } },
      },
    ],
  }),
  { ...build.http({}), name: 'envoy.filters.http.rbac' },
];
const serverNames = [undefined, ...snis, 'B.Example'];
const caseHeader = 'x-case';

function requestWith(random: Random): HttpRequest {
  const value = random.pick([undefined, 'one', 'two']);
  return {
    method: random.pick(methods),
    path: random.pick(paths.filter((path) => !path.includes('#'))),
    metadata: { meta },
    ...(value === undefined ? {} : { headers: { 'x-a': value }, filterState: { fs: value } }),
  };
}

function filterOf(config: object): RbacFilter {
  const read = readRbac({ name: 'rbac', typed_config: config });
  if (read.filter === undefined) throw new Error(JSON.stringify([config, read.violations]));
  return read.filter;
}

function effect(result: unknown): 'allow' | 'deny' | undefined {
  if (result === undefined) return undefined;
  return result === 'ALLOW' || result === 'allowed' ? 'allow' : 'deny';
}

/** What Envoy told, in the interpreter's words: it names the policy that denied, and both of the shadow. */
function heard({ verdict, policy, rbac }: Said) {
  return {
    verdict,
    denied: verdict === 'deny' && policy !== 'none' ? policy : undefined,
    shadow: effect(rbac['shadow_engine_result']),
    shadowBy: (rbac['shadow_effective_policy_id'] || undefined) as string | undefined,
  };
}

function expected(filter: RbacFilter, peer: Peer, request?: HttpRequest) {
  const { enforced, shadow } = filter.decide({ peer, ...(request === undefined ? {} : { request }) });
  const verdict = effect(enforced.action);
  return {
    verdict,
    denied: verdict === 'deny' ? enforced.policy : undefined,
    shadow: effect(shadow?.action),
    shadowBy: shadow?.policy,
  };
}

const fresh = Date.now() % 1_000_000;

describe('the interpreter', () => {
  for (const seed of [7, fresh]) {
    live(
      envoyMissing,
      `[VER1] [VER3] [VER4] [VER5] [VER6] [VER7] [VER8] says what Envoy does to requests, seed ${seed}`,
      async () => {
        const td = await authority('td');
        const configs = Array.from({ length: 300 }, (_, i) => new Filters(seed * 1_000 + i, 'http').config());
        const filters = configs.map(filterOf);
        const routes = configs.map(({ '@type': _, ...rbac }, i) => ({
          match: { prefix: '', headers: [{ name: caseHeader, string_match: { exact: `${i}` } }] },
          direct_response: { status: 200 },
          typed_per_filter_config: {
            'envoy.filters.http.rbac': {
              '@type': 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute',
              rbac,
            },
          },
        }));
        const listener = {
          name: 'all',
          kind: 'http',
          filters: before,
          trust: acceptUntrusted(td),
          certificate: false,
          routes,
        };
        const lab = await openLab([listener as never]);
        const random = new Random(seed);
        let [compared, allowed, shadows] = [0, 0, 0];
        try {
          for (const { peer, certificate } of await clients(td)) {
            for (const sni of serverNames) {
              const asked = filters.map((filter) => ({ filter, request: requestWith(random) }));
              const probes = asked.map(({ request: { method, path = '/', headers } }, i) => ({
                method,
                path,
                headers: { ...headers, [caseHeader]: `${i}` },
              }));
              const who = { ...(certificate && { certificate }), ...(sni === undefined ? {} : { sni }) };
              const answers = await lab.ask('all', who, probes);
              for (const [i, { filter, request }] of asked.entries()) {
                const seen = sni === undefined ? peer : { ...peer, sni };
                const said = heard(answers[i]!);
                expect(said, JSON.stringify({ seed, config: configs[i], seen, request })).toEqual(
                  expected(filter, seen, request),
                );
                compared++;
                if (said.verdict === 'allow') allowed++;
                if (said.shadow !== undefined) shadows++;
              }
            }
          }
        } finally {
          await lab.stop();
        }
        console.log(JSON.stringify({ seed, filters: filters.length, compared, allowed, shadows }));
        expect(compared).toBe(300 * 14 * serverNames.length);
        expect(allowed / compared).toBeGreaterThan(0.3);
        expect(shadows / compared).toBeGreaterThan(0.3);
      },
      240_000,
    );
  }

  live(
    envoyMissing,
    '[VER1] [VER3] [VER5] [VER7] says what Envoy does to connections',
    async () => {
      const td = await authority('td');
      const configs = Array.from({ length: 40 }, (_, i) => new Filters(9_000 + i, 'network').config());
      const listeners = configs.map((config, i) => ({
        name: `n${i}`,
        kind: 'network' as const,
        filters: [{ name: 'envoy.filters.network.rbac', typed_config: config }],
        trust: acceptUntrusted(td),
        certificate: false,
      }));
      const lab = await openLab(listeners);
      let [compared, allowed] = [0, 0];
      try {
        for (const { peer, certificate } of await clients(td)) {
          for (const [i, config] of configs.entries()) {
            const sni = serverNames[(i + compared) % serverNames.length];
            const said = heard(
              await lab.knock(`n${i}`, {
                ...(certificate && { certificate }),
                ...(sni === undefined ? {} : { sni }),
              }),
            );
            const seen = sni === undefined ? peer : { ...peer, sni };
            expect(said, JSON.stringify({ config, seen })).toEqual(expected(filterOf(config), seen));
            compared++;
            if (said.verdict === 'allow') allowed++;
          }
        }
      } finally {
        await lab.stop();
      }
      console.log(JSON.stringify({ filters: configs.length, compared, allowed }));
      expect(compared).toBe(40 * 14);
      expect(allowed / compared).toBeGreaterThan(0.25);
    },
    240_000,
  );
});
