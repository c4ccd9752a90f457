import { parseText } from '../../src/policy/text/parse.ts';
import { markdown, milliseconds } from './report.ts';

/** Reading text: one YAML document with 100k matchers, and 100k small JSON documents. Reported, not asserted. */
const matchers = 100_000;

export function documentTimes(): string[] {
  const yaml = time(yamlText(), 'one.yaml');
  const json = time(jsonText(), 'many.json');
  const heads = ['reading', 'text', 'time'];
  return [
    '',
    ...markdown(heads, [
      ['one YAML document with 100k matchers', size(yaml.bytes), milliseconds(yaml.ms)],
      ['100k JSON documents in one file', size(json.bytes), milliseconds(json.ms)],
    ]),
  ];
}

function time(text: string, file: string): { bytes: number; ms: number } {
  const start = performance.now();
  const { violations } = parseText(text, file);
  const ms = performance.now() - start;
  if (violations.length > 0)
    throw new Error(`the bench wrote text that does not parse: ${violations[0]!.message}`);
  return { bytes: Buffer.byteLength(text), ms };
}

const size = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function yamlText(): string {
  const head = [
    'type: MeshTrafficPermission',
    'mesh: default',
    'name: many',
    'spec:',
    '  rules:',
    '    - default:',
    '        allow:',
  ];
  for (let i = 0; i < matchers; i++) {
    head.push('          - spiffeID:', '              type: Exact');
    head.push(`              value: spiffe://td.example/ns/ns-${i % 5_000}/sa/sa-${i}`);
  }
  return `${head.join('\n')}\n`;
}

function jsonText(): string {
  const one = (i: number): string =>
    JSON.stringify({
      apiVersion: 'placet.dev/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: `policy-${i}`, namespace: `team-${i % 5_000}` },
      spec: {
        action: 'allow',
        from: [{ workloadSelector: { matchLabels: { 'k8s:ns': `team-${i % 4_999}` } } }],
        to: [{ workloadSelector: { matchLabels: { 'service:name': `svc-${i % 25_000}` } } }],
      },
    });
  return `[${Array.from({ length: matchers }, (_, i) => one(i)).join(',\n')}]`;
}
