import { type Mutant, within } from './within.ts';

/** Mistakes where it is read what is asked for. */
export const ofDestinations: readonly Mutant[] = [
  ...within(
    'src/pdp/destination-values.ts',
    [
      'a namespace that is not given is none',
      'if (key === keys.namespace || isUnknown(target, key))',
      'if (isUnknown(target, key))',
    ],
    [
      'the namespace of a destination is none of its attributes',
      'key === keys.k8sNamespace && this.namespace !== undefined',
      'this.namespace === null',
    ],
    [
      'a route that is not given is none',
      'if (route === undefined) return into.unknown(attribute);',
      'if (route === undefined) return into.absent(attribute, own);',
    ],
    ['a route is known with its namespace only', 'into.add(attribute, route.slice(slash + 1));', ''],
    [
      'a route without its namespace is none of those with one',
      'else into.perhaps(attribute, route, placed);',
      'else into.known(attribute, route, own);',
    ],
    [
      'an outright namespace that is not given is none',
      'if (namespace === undefined) into.unknown(attribute);',
      'if (namespace === undefined) into.absent(attribute, own);',
    ],
  ),
  ...within(
    'src/pdp/targets.ts',
    ['without a Site all of it is absent', 'siteless && isSiteKey(key)', 'siteless && key === ""'],
    [
      'of several inbounds one that speaks http asks for nothing',
      'http: inbounds.some(',
      'http: inbounds.every(',
    ],
  ),
];
