import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bootstrapDocument, ecdsDocument, filterDocument } from '../../../src/envoy/export/documents.ts';
import type { Json, JsonObject } from '../../../src/envoy/export/json.ts';
import { withoutTls } from '../../../src/envoy/export/listener.ts';
import { filesIn, type Wiring } from '../../../src/envoy/export/wiring.ts';
import { toYaml } from '../../../src/envoy/export/yaml.ts';
import { generate } from '../../oracle/generate.ts';
import { Random } from '../../oracle/random.ts';
import { checkFilter } from '../proto/check.ts';
import { both } from './world.ts';

/** What is printed. */

const wiring: Wiring = {
  listen: { host: '0.0.0.0', port: 8443 },
  upstream: { host: '127.0.0.1', port: 8080 },
  ...filesIn('/tls'),
};
const mesh = { type: 'Mesh', name: 'm', trustDomains: ['td', 'other'] };
const plane = (protocol: string) => ({
  type: 'Dataplane',
  mesh: 'm',
  name: 'd',
  inbounds: [{ port: 80, protocol }],
});
const permission = {
  type: 'MeshTrafficPermission',
  mesh: 'm',
  name: 'p',
  spec: { default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td/' } }] } },
};
const destination = { mesh: 'm', dataplane: 'd' };
const exported = (protocol: string) => both(mesh, plane(protocol), permission).exporter.export(destination);

describe('YAML', () => {
  test('[ENV16] says what the data say, whatever texts are in them', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed()),
      fc
        .array(fc.constantFrom('', ' ', 'a', '  b', '# c', '- d', 'e: ', '\t'), { maxLength: 5 })
        .map((all) => all.join('\n')),
      fc.constantFrom(
        '',
        'a\n',
        'a\nb\n',
        'a\n\n  b\n',
        ' a\n',
        'a\n\n',
        '\na\n',
        '---\n',
        'true',
        'No',
        '1',
        '1e3',
        '- a',
        '# b',
        'a: b',
        '~',
        'null',
        '=',
        '<<',
        '\u2028',
      ),
    );
    const data = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 3 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(data, (value) => {
        expect(parse(toYaml(value), { version: '1.2' })).toEqual(structuredClone(value));
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  test('[ENV16] keys are as long as IDs may be', () => {
    for (const length of [1022, 1023, 1024, 2048])
      for (const key of ['k'.repeat(length), ':'.repeat(length)]) {
        const value: Json = { a: [{ [key]: { b: 1 }, c: { [key]: [] } }, { [key]: 'd' }], [key]: { e: 2 } };
        expect([length, parse(toYaml(value), { version: '1.2' })]).toEqual([length, value]);
      }
  });

  test('[ENV16] nothing in it moves or hides what is printed', () => {
    expect(toYaml(['\u202e\u0007\u{e0041}\u2028'])).toBe('- "\\u202e\\u0007\\udb40\\udc41\\u2028"\n');
  });
});

describe('documents', () => {
  test('[ENV16] the same documents in any order give the same bytes', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { documents } = generate(seed, 0, 40);
      const random = new Random(seed);
      const [one, other] = [documents, random.shuffled(documents)].map((order) => {
        const { exporter, loaded } = both(...order);
        return [...loaded.inventory.dataplanes.values()].map(({ mesh: of, name, inbounds }) =>
          JSON.stringify(
            exporter.export(
              { mesh: of, dataplane: name, inbound: inbounds[0]!.port },
              { allowNarrower: true },
            ),
          ),
        );
      });
      expect(one).toEqual(other);
    }
  });

  test('[ENV15] [ENV16] a bootstrap has all that the filters rely on', async () => {
    const document = bootstrapDocument(exported('http'), {
      ...wiring,
      admin: { host: '127.0.0.1', port: 9901 },
    });
    await expect(toYaml(document)).toMatchFileSnapshot('documents/http.golden.yaml');
    await expect(toYaml(bootstrapDocument(exported('tcp'), wiring))).toMatchFileSnapshot(
      'documents/tcp.golden.yaml',
    );
    expect(JSON.stringify(withoutTls(document))).not.toContain('transport_socket');
  });

  test('[ENV15] one for certificates of tags', async () => {
    const { exporter } = both({ ...mesh, certificates: 'tags' }, plane('http'), permission);
    const document = bootstrapDocument(exporter.export(destination), wiring);
    await expect(toYaml(document)).toMatchFileSnapshot('documents/tags.golden.yaml');
  });

  test('[ENV16] the file of one filter', () => {
    const one = exported('http');
    const [filter] = one.filters;
    expect(ecdsDocument(one)).toEqual({
      version_info: one.report.snapshot,
      resources: [
        {
          '@type': 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
          name: filter?.name,
          typed_config: filter?.typed_config,
        },
      ],
    });
    expect(filterDocument(one)).toEqual({ filters: one.filters });
  });

  test("[ENV2] every filter is of Envoy's own definitions", { timeout: 120_000 }, () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { exporter, loaded } = both(...generate(seed, 0, 40).documents);
      for (const { mesh: of, name, inbounds } of loaded.inventory.dataplanes.values())
        for (const form of ['tree', 'list'] as const) {
          const asked = { mesh: of, dataplane: name, inbound: inbounds[0]!.port };
          const { filters } = exporter.export(asked, { form, allowNarrower: true });
          for (const filter of filters)
            expect([seed, checkFilter(filter as unknown as JsonObject)]).toEqual([seed, []]);
        }
    }
  });
});
