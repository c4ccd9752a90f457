import type { Unit } from '../../../src/gateway/live/source.ts';
import { parseText } from '../../../src/policy/text/parse.ts';

/** A policy in a namespace of its own, for whoever asks for a service there. */
export function policy(name: string, action = 'allow', namespace = 'shop'): string {
  return [
    'type: AccessPolicy',
    `name: ${name}`,
    `namespace: ${namespace}`,
    'spec:',
    `  action: ${action}`,
    '  from: [{workloadSelector: {}}]',
    '  to: [{workloadSelector: {}}]',
    '',
  ].join('\n');
}

/** As a source gives what a file holds. */
export function unit(name: string, text: string): Unit {
  const { documents, violations } = parseText(text, name);
  return violations.length > 0 ? { name, documents: [], violations } : { name, documents, violations };
}

/** Asks for something in the namespace of the policies above. */
export const request = {
  source: { attributes: { 'k8s:ns': 'web' } },
  destination: { namespace: 'shop', attributes: { 'k8s:ns': 'shop' } },
};
