import type { Targeted } from '../../../src/policy/targets/targeted.ts';
import { policiesIn } from './loading.ts';

/** What the examples of paper 003 leave out is filled in: apiVersion, kind, name, and a conf. */

export const document = (kind: string, namespace: string, spec: string, zone = 'zone-1') => `
apiVersion: kuma.io/v1alpha1
kind: ${kind}
metadata:
  name: p
  namespace: ${namespace}
  labels: {kuma.io/zone: ${zone}}
spec:
${spec.replace(/^/gm, '  ')}
`;
export const timeout = (namespace: string, spec: string, zone?: string) =>
  document('MeshTimeout', namespace, spec, zone);
export const one = (text: string): Targeted => policiesIn(text)[0]!;

export const conf = 'default: {http: {requestTimeout: 1s}}';
export const toBackend = (namespace?: string, top = '') => `${top}
to:
  - targetRef:
      kind: MeshService
      name: backend${namespace === undefined ? '' : `\n      namespace: ${namespace}`}
    ${conf}`;
