import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { script } from '../../../src/envoy/export/exchange/script.ts';
import { scriptHash } from '../../../src/envoy/verify/tokens/checks.ts';
import { worldOf } from '../../live/envoy/tokens/world.ts';
import { Random } from '../../oracle/random.ts';
import { both } from '../export/world.ts';
import * as b from '../interpreter/build.ts';
import { exportAndVerify, verifyFilters } from './exported.ts';
import type { Json } from './planting.ts';
import { tokenMutants } from './token-mutants.ts';
import { destination, documents } from './token-world.ts';

/** Filters for clients with tokens beside what the policies say. */

const options = { attributes: 'jwt' } as const;
const failing = (document?: (filters: Json[]) => void) => {
  const report = exportAndVerify(both(...documents), destination, options, 5_000, (value) => {
    document?.((value as { filters: Json[] }).filters);
    return value;
  });
  return report?.checks
    .filter(({ state }) => state === 'fails')
    .map(({ id, message }) => `${id}: ${message}`);
};
const config = (filters: Json[], at: number): Json => filters[at]!['typed_config'] as Json;
const provider = (filters: Json[]): Record<string, unknown> =>
  (config(filters, 0)['providers'] as Json)['us-1'] as unknown as Record<string, unknown>;

describe('tokens', () => {
  test('[VER16] no difference where there is none, in all forms', () => {
    for (const form of ['tree', 'list'] as const) {
      const report = exportAndVerify(both(...documents), destination, { ...options, form }, 100_000);
      expect(report?.violations).toEqual([]);
      expect(report?.checks.filter(({ state }) => state === 'fails')).toEqual([]);
      for (const { differences, tried, possible, allowed } of report?.compared ?? []) {
        console.log(`${form}: ${tried} requests, ${allowed} allowed`);
        expect(differences).toEqual([]);
        expect(tried).toBe(possible);
        expect(allowed).toBeGreaterThan(tried / 10);
      }
    }
  });

  test('[VER16] nor on random sets', { timeout: 300_000 }, () => {
    let [sets, requests, allowed] = [0, 0, 0];
    for (let seed = 1; seed <= 60; seed++) {
      const { set, services } = worldOf(seed);
      if (services.length === 0) continue;
      const random = new Random(seed);
      const form = random.pick(['tree', 'list'] as const);
      const report = exportAndVerify(set, { service: random.pick(services) }, { ...options, form }, 3_000);
      if (report === undefined) continue;
      sets++;
      for (const one of report.compared) {
        requests += one.tried;
        allowed += one.allowed;
        expect(one.differences.slice(0, 1), `seed ${seed}`).toEqual([]);
      }
    }
    console.log(`${sets} sets, ${requests} requests, ${allowed} allowed`);
    expect(sets).toBeGreaterThan(50);
    expect(requests).toBeGreaterThan(100_000);
    expect(allowed).toBeGreaterThan(5_000);
  });

  test.each(tokenMutants.map((mutant) => [mutant.name, mutant] as const))(
    '[VER11] [VER16] planted: %s',
    (_, { form, plant }) => {
      const set = both(...documents);
      const { filters } = set.exporter.export(destination, { ...options, form });
      const [rbac] = structuredClone([filters.at(-1)]) as unknown as [Json];
      const planted = [rbac];
      plant(planted);
      const { compared, violations } = verifyFilters(set, destination, planted, 100_000, true);
      expect(violations).toEqual([]);
      expect(compared.some(({ differing }) => differing > 0)).toBe(true);
    },
  );

  test('[VER16] the script is known by its hash', () => {
    expect(createHash('sha256').update(script).digest('hex')).toBe(scriptHash);
  });

  test('[VER12] [VER16] what stands in front of RBAC is checked', () => {
    expect(failing()).toEqual([]);
    const found = (change: (filters: Json[]) => void) => failing(change)?.join('; ');
    const script = (filters: Json[]) => config(filters, 1)['default_source_code'] as Json;
    const changes: Record<string, (filters: Json[]) => void> = {
      'token-verification: got 0 filters jwt_authn': (filters) => filters.splice(0, 1),
      'token-checks: got no filter in Lua': (filters) => filters.splice(1, 1),
      'token-checks: got a filter in Lua that is not the one': (filters) => {
        const code = script(filters) as unknown as Record<string, string>;
        code['inline_string'] = code['inline_string']!.replace('== text', '~= text');
      },
      'token-order: RBAC does not come behind': (filters) => filters.unshift(...filters.splice(1, 1)),
      "us-1: the audience is not this site's gateway": (filters) => {
        provider(filters)['audiences'] = [];
      },
      'us-1: its keys are not those': (filters) => {
        provider(filters)['local_jwks'] = { inline_string: '{"keys":[]}' };
      },
      'us-1: it looks for tokens elsewhere': (filters) => {
        provider(filters)['from_params'] = ['token'];
      },
      'us-1: it does not leave them': (filters) => {
        provider(filters)['payload_in_metadata'] = 'other';
      },
      'us-1: it does not leave their headers': (filters) => {
        delete provider(filters)['header_in_metadata'];
      },
      'us-1: it takes the token away': (filters) => {
        provider(filters)['forward'] = false;
      },
      'us-1: got failed_status_in_metadata, of which': (filters) => {
        provider(filters)['failed_status_in_metadata'] = 'jwt_payload';
      },
      'got requirement_map, of which': (filters) => {
        config(filters, 0)['requirement_map'] = {} as Json;
      },
      'filter-order: Config: writes the metadata placet.exchange, which RBAC reads': (filters) =>
        filters.splice(
          2,
          0,
          b.extension('envoy.extensions.filters.http.set_metadata.v3.Config', {
            metadata: [{ metadata_namespace: 'placet.exchange', value: { binding: 'ok' } }],
          }) as Json,
        ),
      'us-1: clocks may differ by other': (filters) => {
        delete provider(filters)['clock_skew_seconds'];
      },
      'us-1 is nobody': (filters) => {
        const providers = config(filters, 0)['providers'] as unknown as Record<string, unknown>;
        providers['us-1'] = { ...provider(filters), issuer: 'spiffe://elsewhere.example/gateway' };
        providers['more'] = { ...provider(filters), issuer: 'spiffe://us-1.example/gateway' };
      },
      'nothing verifies the tokens of us-1': (filters) => {
        provider(filters)['issuer'] = 'spiffe://elsewhere.example/gateway';
      },
      'a request may come without a token': (filters) => {
        const [rule] = config(filters, 0)['rules'] as unknown as { requires: unknown }[];
        rule!.requires = {
          requires_any: { requirements: [{ provider_name: 'us-1' }, { allow_missing: {} }] },
        };
      },
      'not all requests are asked for a token': (filters) => {
        const [rule] = config(filters, 0)['rules'] as unknown as { match: unknown }[];
        rule!.match = { prefix: '/private' };
      },
      'not all requests are asked for a token by': (filters) => {
        const [rule] = config(filters, 0)['rules'] as unknown as { match: unknown }[];
        rule!.match = { prefix: '/', headers: [{ name: 'x-a', present_match: true }] };
      },
    };
    for (const [words, change] of Object.entries(changes)) expect(found(change)).toContain(words);
  });
});
