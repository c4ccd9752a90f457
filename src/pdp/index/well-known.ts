import type { Stated, StatedAttributes } from '../model/request.ts';

/**
 * Names that most requests have. For each place in the code an engine remembers where objects that it has seen have a
 * property, as long as that has one name there; at a place of many names it looks for each of them anew.
 */
const wellKnown = ['k8s:ns', 'k8s:sa', 'k8s:label:app', 'service:name', 'site:name', 'site:location'];

/** So many bits have the number of any of them. */
export const nameBits = 3;

/** Zero for a key that is none of them. */
export function nameOf(key: string): number {
  return wellKnown.indexOf(key) + 1;
}

/** What is stated of a key, whose number is `nameOf(key)`. */
export function statedOf(stated: StatedAttributes, name: number, key: string): Stated | undefined {
  switch (name) {
    case 1:
      return stated['k8s:ns'];
    case 2:
      return stated['k8s:sa'];
    case 3:
      return stated['k8s:label:app'];
    case 4:
      return stated['service:name'];
    case 5:
      return stated['site:name'];
    case 6:
      return stated['site:location'];
    default:
      return stated[key];
  }
}
