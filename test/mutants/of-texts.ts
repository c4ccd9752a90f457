import { type Mutant, within } from './within.ts';

/** Mistakes where texts are compared with patterns, and where IDs are read. */
export const ofTexts: readonly Mutant[] = [
  ...within(
    'src/pdp/index/trie.ts',
    ['what is below needs no slash', '(next === SLASH || next === END)', 'next !== -2'],
    [
      'prefix off by one at the end of the value',
      'if (position + size > length)',
      'if (position + size >= length)',
    ],
    ['prefix of an ID off by one at its end', 'if (end > length)', 'if (end >= length)'],
    [
      'only the first unit of a label compared',
      'if (units[label + k] !== value.charCodeAt(position + k)) return;',
      '',
    ],
    [
      'four bytes of a label of an ID not compared',
      '!== view.getInt32(position, true)) return position;',
      '=== 0) return position;',
    ],
    [
      'the rest of a label of an ID not compared',
      '!== bytes[position]) return position;',
      '!== bytes[position]) break;',
    ],
  ),
  ...within('src/pdp/index/exact.ts', [
    'a fingerprint is believed where a value is looked up',
    ' && this.#texts.is(symbols[at + 1] as number, text)',
    '',
  ]),
  ...within(
    'src/pdp/kept/rules.ts',
    ['a rule that is kept forgets the floors of its conditions', 'if (floor !== noRank)', 'if (floor < 0)'],
    [
      'a rule that is kept takes the first condition for the one that it has',
      '[this.#conditions.length - since]',
      '[0]',
    ],
  ),
  ...within(
    'src/pdp/model/spiffe-id.ts',
    ['what an ID has after a slash not looked at', 'odd |= (before << 1) & one;', ''],
    ['what may not stand in a path read as legal', 'all &= one;', ''],
    ['the slash that a pattern ends with forgotten', 'path, known - 1, length', 'path, known, length'],
  ),
];
