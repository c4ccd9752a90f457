import { describe, expect, test } from 'vitest';
import { BodySheet } from '../../../src/gateway/http/sheet.ts';
import type { Line } from '../../../src/gateway/log/line.ts';
import { DecisionLog } from '../../../src/gateway/log/log.ts';
import { masker } from '../../../src/gateway/log/mask.ts';
import { Outlet } from '../../../src/gateway/log/outlet.ts';
import { Sampler } from '../../../src/gateway/log/sample.ts';
import type { Decided } from '../../../src/gateway/service.ts';
import { open } from '../../../src/index.ts';
import { Written } from '../../../src/pdp/index/written.ts';
import type { Decision } from '../../../src/pdp/model/decision.ts';
import { operatorChannel, type Request } from '../../../src/pdp/model/request.ts';
import { snapshotOf } from '../world.ts';

const { engine: scanning } = snapshotOf('policies/40-shadow');
const engine = open([
  {
    type: 'AccessPolicy',
    name: 'readers',
    namespace: 'shop',
    spec: {
      action: 'allow',
      from: [{ workloadSelector: { matchLabels: { 'k8s:ns': 'web' } } }],
      to: [{ workloadSelector: { matchLabels: { 'service:name': 'pay' } } }],
    },
  },
]);
const request: Request = {
  source: {
    spiffeId: 'spiffe://td/ns/web/sa/a',
    tags: { version: ['v1', 'v2'] },
    attributes: { 'k8s:ns': 'web', 'k8s:label:user': { value: 'ada', trust: 'observed' } },
  },
  destination: { attributes: { 'service:name': 'pay' }, namespace: 'shop' },
  request: { method: 'GET', path: '/cards/4000?pin=1' },
};
const decision = engine.decide(request);

const event: Decided = {
  id: 'a-1',
  via: 'decide',
  caller: 'spiffe://td/gateway',
  request,
  channel: operatorChannel,
  decision,
  evidence: () => 'sha256:0000',
  trace: '0af7',
  milliseconds: 0.0123456,
};

function lines(sampling = { allows: 1, denies: 1, perSecond: 1_000 }, keys: readonly string[] = []) {
  const written: string[] = [];
  const outlet = new Outlet(
    {
      carry: async (text) => void written.push(...text.split('\n').slice(0, -1)),
      close: async () => undefined,
    },
    { queue: 1_000_000, gather: 0 },
  );
  return { written, log: new DecisionLog(outlet, sampling, { keys, salt: 'salt' }) };
}

describe('the decision log', () => {
  test('[LOG1] a line is enough to decide again', async () => {
    const { written, log } = lines();
    log.decided(event, Date.UTC(2026, 0, 2));
    await log.close(1_000);
    expect(written).toHaveLength(1);
    const line = JSON.parse(written[0] as string) as Line;
    expect(line).toEqual({
      time: '2026-01-02T00:00:00.000Z',
      id: 'a-1',
      via: 'decide',
      caller: 'spiffe://td/gateway',
      decision: 'allow',
      reason: 'rule',
      by: decision.by,
      shadow: 'allow',
      shadowBy: decision.shadowBy,
      snapshot: engine.snapshot,
      request: { ...request, request: { method: 'GET', path: '/cards/4000?…' } },
      channel: operatorChannel,
      evidence: 'sha256:0000',
      trace: '0af7',
      milliseconds: 0.012,
    });
    expect(open([]).decide(line.request)).toMatchObject({ decision: 'deny' });
    expect(engine.decide(line.request)).toEqual(decision);
  });

  test('[LOG8] the query of a path is not written, in whichever form the request came', async () => {
    const { written, log } = lines();
    const asked = { ...request, request: { path: '/x?access_token=SECRET?y' } };
    const text = JSON.stringify({ destination: request.destination, request: asked.request });
    const scanned = scanning.scan(new BodySheet(Buffer.from(text))).one();
    expect(scanned).toBeInstanceOf(Written);
    for (const one of [asked, scanned as Written]) log.decided({ ...event, request: one });
    log.decided({ ...event, request: { ...request, request: { path: '/x' } } });
    log.decided({ ...event, request: {} as Request });
    await log.close(1_000);
    const all = written.map((line) => JSON.parse(line) as Line);
    expect(all.map(({ request: { request }, masked }) => [request?.path, masked])).toEqual([
      ['/x?…', undefined],
      ['/x?…', undefined],
      ['/x', undefined],
      [undefined, undefined],
    ]);
    expect(written.join()).not.toContain('SECRET');
  });

  test('[LOG8] what is named as evidence is not written, in whatever case and as members of a list', async () => {
    const { written, log } = lines();
    const attributes = {
      'evidence:JWT': 'SECRET',
      'user:jwt:SECRET': 'true',
      'user:Certificate': { value: 'SECRET', trust: 'asserted' },
      'k8s:jwt': 'SECRET',
      'K8S:label:jwt': 'SECRET',
      'k8s:label:jwt': 'yes',
      'k8s:init-container-image-digest:certificate': 'sha256:…',
      'user:jwts': 'two',
    } as const;
    log.decided({ ...event, request: { ...request, source: { attributes } } });
    await log.close(1_000);
    const [text = ''] = written;
    expect(text).not.toContain('SECRET');
    const hidden = expect.stringMatching(/^masked:[\w-]{16}$/);
    const line = JSON.parse(text) as Line;
    expect(line.masked).toEqual(['evidence:JWT', 'user:jwt', 'user:Certificate', 'k8s:jwt', 'K8S:label:jwt']);
    const { [Object.keys(line.request.source?.attributes ?? {})[1] ?? '']: _, ...others } =
      line.request.source?.attributes ?? {};
    expect(others).toEqual({
      'evidence:JWT': hidden,
      'user:Certificate': { value: hidden, trust: 'asserted' },
      'k8s:jwt': hidden,
      'K8S:label:jwt': hidden,
      'k8s:label:jwt': 'yes',
      'k8s:init-container-image-digest:certificate': 'sha256:…',
      'user:jwts': 'two',
    });
  });

  test('[LOG2] the share of allows and denies that is asked for, and everything in which the shadow differs', () => {
    const sampler = new Sampler({ allows: 0.1, denies: 0.5, perSecond: 1e6 });
    const count = (decision: 'allow' | 'deny', shadow: 'allow' | 'deny') => {
      let taken = 0;
      for (let i = 0; i < 1_000; i++) if (sampler.takes({ decision, shadow } as Decision, 0)) taken++;
      return taken;
    };
    // Tenths do not add up exactly in binary.
    expect(Math.abs(count('allow', 'allow') - 100)).toBeLessThanOrEqual(1);
    expect(count('deny', 'deny')).toBe(500);
    expect(count('allow', 'deny')).toBe(1_000);
    expect(count('deny', 'allow')).toBe(1_000);
  });

  test('[LOG2] no more lines a second than may be, the rest counted', () => {
    const { log } = lines({ allows: 1, denies: 1, perSecond: 3 });
    for (let i = 0; i < 10; i++) log.decided(event, 5_000 + i);
    expect([log.written, log.dropped]).toEqual([3, 7]);
    log.decided(event, 6_000);
    expect([log.written, log.dropped]).toEqual([4, 7]);
  });

  test('[LOG3] masked values are not written, equal ones stay equal, and the line says which', async () => {
    const { written, log } = lines(undefined, [
      'k8s:label:*',
      'request:path',
      'spiffe:id',
      'kuma:tag:version',
    ]);
    log.decided(event);
    log.decided(event);
    await log.close(1_000);
    expect(written).toHaveLength(2);
    const [text = '', again = ''] = written;
    for (const secret of ['ada', 'cards', 'pin', 'sa/a', '"v1"']) expect(text).not.toContain(secret);
    const line = JSON.parse(text) as Line;
    expect(line.masked).toEqual([
      'spiffe:id',
      'kuma:tag:version',
      'kuma:tag:version',
      'k8s:label:user',
      'request:path',
    ]);
    expect(line.request.source?.attributes?.['k8s:ns']).toBe('web');
    expect(line.request.source?.attributes?.['k8s:label:user']).toEqual({
      value: expect.stringMatching(/^masked:[\w-]{16}$/),
      trust: 'observed',
    });
    expect(JSON.parse(again).request).toEqual(line.request);
    const other = masker({ keys: ['k8s:label:*'], salt: 'another' })(request).request;
    expect(other.source?.attributes?.['k8s:label:user']).not.toEqual(
      line.request.source?.attributes?.['k8s:label:user'],
    );
  });

  test('[LOG3] the digest of evidence is masked where anything is, since an address could be found by trying', async () => {
    for (const [keys, told] of [
      [[], 'sha256:0000'],
      [['spiffe:id'], expect.stringMatching(/^masked:[\w-]{16}$/)],
    ] as const) {
      const { written, log } = lines(undefined, keys);
      log.decided(event);
      await log.close(1_000);
      expect((JSON.parse(written[0] ?? '') as Line).evidence).toEqual(told);
    }
  });

  test('[LOG3] destination attributes are masked too', () => {
    const { request: hidden, masked } = masker({ keys: ['service:*'], salt: '' })(request);
    expect(masked).toEqual(['service:name']);
    expect(hidden.destination.attributes?.['service:name']).toEqual(expect.stringMatching(/^masked:/));
    expect(request.destination.attributes?.['service:name']).toBe('pay');
  });

  test('[LOG3] [REQ8] by ClusterLink’s names too, in requests and in what is masked', () => {
    const attributes = {
      'client.clusterlink.net/namespace': 'SECRET',
      'client.clusterlink.net/labels.user': { value: 'SECRET', trust: 'observed' },
      'peer.clusterlink.net/name': 'SECRET',
      'client.clusterlink.net/labels.app': 'web',
    } as const;
    const there = { 'export.clusterlink.net/namespace': 'SECRET', 'export.clusterlink.net/name': 'pay' };
    const aliased = { source: { attributes }, destination: { attributes: there } };
    const hiding = masker({ keys: ['k8s:label:u*', 'k8s:ns', 'site:name'], salt: '' });
    const { request: hidden, masked } = hiding(aliased);
    expect(JSON.stringify(hidden)).not.toContain('SECRET');
    expect(hidden.source?.attributes?.['client.clusterlink.net/labels.app']).toBe('web');
    expect(masked.toSorted()).toEqual(
      [...Object.keys(attributes).slice(0, 3), 'export.clusterlink.net/namespace'].toSorted(),
    );
    // On the wrong side a name says nothing to policies; its value is no less of a secret.
    const swapped = { source: { attributes: there }, destination: { attributes } };
    expect(JSON.stringify(hiding(swapped))).not.toContain('SECRET');

    const ours = { 'k8s:ns': 'SECRET', 'k8s:label:user': 'SECRET' };
    const named = masker({
      keys: ['client.clusterlink.net/labels.*', 'client.clusterlink.net/namespace'],
      salt: '',
    });
    const told = named({ source: { attributes: ours }, destination: { attributes: { 'k8s:ns': 'shop' } } });
    expect(JSON.stringify(told.request)).not.toContain('SECRET');
    expect(told.request.destination.attributes).toEqual({ 'k8s:ns': 'shop' });
  });

  test.each([['user:*'], ['user:mail', 'user:address']])(
    '[LOG3] what is below a masked key is masked too, and members of lists in their keys: %s',
    (...keys) => {
      const attributes = {
        'user:mail:SECRET@a': 'true',
        'user:mail:SECRET:b': { value: 'true', trust: 'asserted' },
        'user:mail:SECRET@c': { unknown: 'shared-identity', pods: [] },
        'user:address:street': 'SECRET',
      } as const;
      const hiding = masker({ keys, salt: '' });
      const { request: hidden, masked } = hiding({ ...request, source: { attributes } });
      expect(JSON.stringify([hidden, masked])).not.toContain('SECRET');
      const hiddenKey = expect.stringMatching(/^user:mail:masked:[\w-]{16}$/);
      expect(Object.keys(hidden.source?.attributes ?? {})).toEqual([
        hiddenKey,
        hiddenKey,
        hiddenKey,
        'user:address:street',
      ]);
      expect(masked).toEqual(['user:mail', 'user:mail', 'user:mail', 'user:address:street']);
      const again = hiding({ ...request, source: { attributes } }).request;
      expect(again).toEqual(hidden);
    },
  );

  test('[LOG3] what is called so by its own name keeps it: a key that is masked as it is, labels, images, tags', () => {
    const attributes = {
      'user:roles:admin': 'true',
      'k8s:label:team': 'true',
      'cl:site:gpu': 'true',
      'client.clusterlink.net/labels.team': 'true',
      'k8s:container-image:web': 'true',
    };
    const keys = ['user:roles:admin', 'k8s:*', 'cl:*'];
    const { request: hidden, masked } = masker({ keys, salt: '' })({ ...request, source: { attributes } });
    expect(masked).toEqual(Object.keys(attributes));
    expect(Object.keys(hidden.source?.attributes ?? {})).toEqual(Object.keys(attributes));
    expect(Object.values(hidden.source?.attributes ?? {})).not.toContain('true');
  });
});
