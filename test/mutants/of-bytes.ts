import { type Mutant, within } from './within.ts';

/** Mistakes where requests are read off their bytes. */
export const ofBytes: readonly Mutant[] = [
  ...within(
    'src/pdp/index/strings.ts',
    [
      'the empty value is never found',
      'if ((offsets[id + 1] as number) - first !== length)',
      'if (length === 0 || (offsets[id + 1] as number) - first !== length)',
    ],
    [
      'bytes compared by their end',
      'if (all[first + i] !== bytes[from + i]) return false;',
      'if (i === length - 1 && all[first + i] !== bytes[from + i]) return false;',
    ],
  ),
  ...within('src/pdp/index/fingerprint.ts', [
    'the fingerprint of bytes is of all of them',
    '(length > tail ? to - tail : from) | 0',
    'from | 0',
  ]),
  ...within(
    'src/pdp/index/scan.ts',
    [
      'an ID among attributes is read off bytes as it is',
      'if (side === 0 && this.is(spiffeIdKey)) return false;',
      '',
    ],
    [
      'names of ClusterLink are read off bytes as they are',
      'return length < shortestAlias || ',
      'return length > 0 || ',
    ],
    [
      'attributes off bytes are all of the source',
      'this.#keys.find(bytes, key, keyEnd, this.hash, side)',
      'this.#keys.find(bytes, key, keyEnd, this.hash, 0)',
    ],
    [
      'a key like that of the request before is that of its first',
      'rows[row + attributeCell] = before[row + attributeCell]',
      'rows[row + attributeCell] = before[attributeCell]',
    ],
    [
      'the mesh of a dataplane is lost off bytes',
      'return { mesh, dataplane,',
      'return { mesh: undefined, dataplane,',
    ],
  ),
  ...within('src/pdp/index/written.ts', [
    'what is read off bytes loses its beginning where it is not plain',
    'attributes instanceof WrittenAttributes ? attributes.text(attribute) : attributes?.[key]',
    'attributes instanceof WrittenAttributes ? attributes.text(attribute)?.slice(1) : attributes?.[key]',
  ]),
  ...within('src/pdp/identified.ts', [
    'attributes off bytes identify nobody',
    'complete || attributes instanceof WrittenAttributes',
    'complete',
  ]),
];
