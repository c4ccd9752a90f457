import { type Mutant, within } from './within.ts';

/** Mistakes where it is read what is asked for. */
export const ofDestinations: readonly Mutant[] = [
  ...within(
    'src/pdp/destination-values.ts',
    [
      'the namespace of a destination is none of its attributes',
      'else if (key === keys.k8sNamespace && this.namespace !== undefined)',
      'else if (this.namespace === null)',
    ],
    [
      'the namespace that is said of a dataplane is none of its attributes',
      'if (key === keys.k8sNamespace && this.namespace !== undefined)\n        into.known(attribute, this.namespace, this.trust);\n      else if',
      'if',
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
    [
      'a namespace that is not given is none',
      'new Set([keys.namespace, keys.k8sNamespace])',
      'new Set([keys.k8sNamespace])',
    ],
    [
      'a dataplane that does not say its namespace is in none',
      'new Set([keys.namespace, keys.k8sNamespace])',
      'new Set([keys.namespace])',
    ],
    [
      'of several inbounds one that speaks http asks for nothing',
      'http: inbounds.some(',
      'http: inbounds.every(',
    ],
  ),
  ...within(
    'src/pdp/model/of-site.ts',
    [
      'a site that does not say its fabric is of none',
      'key === keys.fabric || (siteless',
      "key === '' || (siteless",
    ],
    ['without a Site all of it is absent', 'siteless && isSiteKey(key)', 'siteless && key === ""'],
  ),
];
