import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { kindText } from '../../../src/cli/conf/text.ts';
import { Output } from '../../../src/cli/terminal/output.ts';
import { palette } from '../../../src/cli/terminal/paint.ts';
import { Confs } from '../../../src/policy/merge/confs.ts';
import { loadedText } from '../../policy/merge/loading.ts';

const paint = palette(new Output(new PassThrough(), {}));

function text(documents: string, room = 80): readonly string[] {
  const loaded = loadedText(documents);
  const [kind] = new Confs(loaded).of(loaded.inventory.dataplanes.get('default/web-1')!);
  return kindText(kind!, () => undefined, paint, room);
}

const proxy = (outbounds: number) => `
type: Dataplane
name: web-1
networking:
  inbound: [{port: 80, tags: {kuma.io/service: web}}]
  outbound:
${Array.from({ length: outbounds }, (_, n) => `    - {port: ${9000 + n}, tags: {kuma.io/service: service-${n}}}`).join('\n')}
---
`;
const timeout = (name: string, metadata: string, ref: string, says: string) =>
  `type: MeshTimeout\nname: ${name}\n${metadata}spec: {to: [{targetRef: ${ref}, default: ${says}}]}\n---\n`;

test('[MRG15] is readable in 80 columns', () => {
  const long = 'a-policy-with-a-name-that-is-rather-long-for-a-line-of-a-terminal';
  const says = '{http: {requestTimeout: 1s, aFieldOfALongName: a-value-that-is-long-too-and-takes-room}}';
  const lines = text(proxy(30) + timeout(long, '', '{kind: Mesh}', says));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.slice(2)).toEqual([
    '  to service-0 (9000), service-1 (9001), service-2 (9002), service-3 (9003),',
    expect.stringMatching(/^ {4}service-4 /),
    ...Array.from({ length: 6 }, () => expect.stringMatching(/^ {4}service-/)),
    '    http:',
    '      aFieldOfALongName: a-value-that-is-long-too-and-takes-room',
    `        # ${long}`,
    '      requestTimeout: 1s',
    `        # ${long}`,
  ]);
});

test('[MRG15] policies of one name are told apart', () => {
  const zone = 'labels: {kuma.io/zone: east}\n';
  const namespace = 'namespace: shop\n';
  const lines = text(
    proxy(1) +
      timeout('same', '', '{kind: Mesh}', '{a: 1}') +
      timeout('same', namespace, '{kind: MeshService, name: service-0}', '{b: 1}').replace(
        'spec:',
        `${zone}spec:`,
      ),
  );
  expect(lines.join('\n')).toContain('shop/same');
});

test('[MRG15] a kind that says nothing of what the proxy has says so', () => {
  expect(text(proxy(1) + timeout('t', '', '{kind: MeshService, name: other}', '{a: 1}'))).toEqual([
    'MeshTimeout',
    '  t',
    '  they say nothing of what it calls or offers',
  ]);
});
