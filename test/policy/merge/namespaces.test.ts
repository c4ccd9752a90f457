import { describe, expect, test } from 'vitest';
import { confOf, loadedText, toService } from './loading.ts';

/** Whose word counts for a service that only a tag names, and that says no namespace (SPEC MRG8). */

const client = `
type: Dataplane
name: web-1
labels: {k8s.kuma.io/namespace: web-ns}
networking:
  inbound: [{port: 80, tags: {kuma.io/service: web}}]
  outbound: [{port: 1, tags: {kuma.io/service: backend}}]
---`;
const offers = (name: string, namespace?: string) => `
type: Dataplane
name: ${name}
${namespace === undefined ? '' : `labels: {k8s.kuma.io/namespace: ${namespace}}`}
networking:
  inbound: [{port: 80, tags: {kuma.io/service: backend}}]
---`;
const timeout = (namespace: string, at: string) => `
apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: of-${namespace}, namespace: ${namespace}}
spec: {to: [{targetRef: {kind: MeshService, name: backend, namespace: ${at}}, default: {a: ${namespace}}}]}
---`;
const service = (namespace: string) => `
apiVersion: kuma.io/v1alpha1
kind: MeshService
metadata: {name: backend, namespace: ${namespace}}
spec: {selector: {dataplaneTags: {kuma.io/service: backend}}, ports: [{port: 80}]}
---`;
const load = (...documents: readonly string[]) => loadedText(client + documents.join('\n'));
const says = (...documents: readonly string[]) => {
  const conf = confOf(load(...documents), 'default/web-1', 'MeshTimeout');
  return conf === undefined ? undefined : toService(conf, 'backend')?.conf;
};

describe('a service without a namespace in its tag', () => {
  const own = timeout('backend-ns', 'backend-ns');
  const foreign = timeout('other-ns', 'other-ns');

  test('[MRG8] is in the namespace of the proxies that offer it', () => {
    expect(says(own, foreign, offers('backend-1', 'backend-ns'))).toEqual({ a: 'backend-ns' });
    expect(says(foreign, offers('backend-1', 'backend-ns'))).toBeUndefined();
    const consumer = timeout('web-ns', 'backend-ns');
    expect(says(consumer, offers('backend-1', 'backend-ns'))).toEqual({ a: 'web-ns' });
  });

  test('[MRG8] no namespace speaks for one that is of none, of several, or nobody knows of which', () => {
    expect(says(own, offers('backend-1'))).toBeUndefined();
    expect(says(own)).toBeUndefined();
    expect(
      says(own, foreign, offers('backend-1', 'backend-ns'), offers('backend-2', 'other-ns')),
    ).toBeUndefined();
    expect(says(timeout('kuma-system', 'kuma-system'), offers('backend-1'))).toEqual({ a: 'kuma-system' });
  });

  test('[MRG8] a MeshService of another namespace does not make it its own', () => {
    expect(says(foreign, service('other-ns'), offers('backend-1', 'backend-ns'))).toBeUndefined();
    expect(says(foreign, own, service('other-ns'), service('backend-ns'))).toBeUndefined();
    expect(says(own, service('backend-ns'))).toEqual({ a: 'backend-ns' });
  });

  test('[REF6] who speaks of it from elsewhere is told that there is no such service', () => {
    const told = (...documents: readonly string[]) =>
      load(...documents).statuses.map(({ name, message }) => [name, message]);
    const missing = (namespace: string) => [
      `of-${namespace}`,
      `got the MeshService "backend" in the namespace "${namespace}", which these documents do not have`,
    ];
    const nearby = offers('other', 'other-ns').replace('service: backend', 'service: other');
    expect(told(own, foreign, nearby, offers('backend-1', 'backend-ns'))).toEqual([missing('other-ns')]);
    expect(told(foreign, nearby, offers('backend-1'))).toEqual([missing('other-ns')]);
    expect(told(foreign, nearby)).toEqual([missing('other-ns')]);
  });
});
