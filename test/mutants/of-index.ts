import { type Mutant, within } from './within.ts';

/** Mistakes in how an index is built, and in how it is gone through. */
export const ofIndex: readonly Mutant[] = [
  ...within(
    'src/pdp/index/search.ts',
    [
      'the longest prefix only, no fallback',
      'for (let i = reading.start(attribute); i < end; i++)\n      this.#along',
      'for (let i = Math.max(reading.start(attribute), end - 1); i < end; i++)\n      this.#along',
    ],
    [
      'floor of a node ignored',
      'this.reading.isPlain(dimension)',
      'this.reading.isPlain(dimension & ~lowest)',
    ],
    ['allows count below the floor that they share a node with', 'this.allows = false;', ''],
    [
      'rules that do not ask are left out',
      'reference = cells[at + otherCell] as number;',
      'reference = nowhere;',
    ],
  ),
  ...within(
    'src/pdp/index/tables.ts',
    ['unknown read as false for denies', '(state === absent ? 0 : denies)', '0'],
    ['unknown read as true for allows', '(state === absent ? 0 : denies)', '(state === absent ? 0 : -1)'],
    ['absent where it was unknown', 'state === absent ? 2 : 1', 'state === absent ? 2 : 2'],
    [
      'floor ignored where one exact value is asked for',
      '> base + ((head >> headShift) & lowest) &&',
      '> base &&',
    ],
    [
      'allows count below the floor that they share a column with',
      'return (right & ~denies) | (',
      'return right | -1 & (',
    ],
    ['columns that want care get none', 'lowest) && (head & carefulBit) === 0)', 'lowest))'],
    ['columns looked at first take what is not known for known', ' | ~plain', ''],
    ['columns looked at first are never looked at again', 'seen |= (1 << i) & plain;', 'seen |= 1 << i;'],
    ['floor ignored in columns looked at first', 'base + floor - ', 'base - '],
    ['columns looked at first want no care', ' & ((head & carefulBit) - 1)', ''],
    ['what was found to be another value meanwhile decides', 'if (entry === entries) return false;', ''],
    ['fingerprints of what decides are believed', 'if (!this.#isSure(at, rule)) return false;', ''],
    ['fingerprints of several values are believed', 'code >= 0 ||', 'code >= -0x8000_0000 ||'],
    ['one of several values taken for all', 'if (code !== exact) continue;', ''],
    [
      'of several values the last counts',
      'added |= right & ~others;\n      removed |= others & ~right;\n    }',
      'added = right & ~others;\n      removed |= others & ~right;\n    }',
    ],
    [
      'of several values only the last is kept out',
      'removed |= others & ~right;\n    }',
      'removed = others & ~right;\n    }',
    ],
    [
      'of one of several values a deny wants all',
      'added |= right & ~others;\n      removed |= others & ~right;\n      if',
      'added &= right & ~others;\n      removed |= others & ~right;\n      if',
    ],
    [
      'what is known below a floor is known above it',
      'this.reading.isKnown(dimension)',
      'this.reading.isKnown(dimension & ~lowest)',
    ],
    ['conditions without a column forgotten', 'if (others === 0 ||', 'if (others >= 0 ||'],
    ['an unknown condition without a column met', '(truth === unclear && allows)', 'false'],
    ['a deny needs all that it asks for to be known', '(truth === unclear && allows)', 'truth === unclear'],
    ['only the first table looked at', 'at = this.cells[at + nextCell] as number;', 'at = nowhere;'],
    ['denies alone are asked for, and allows answer', 'if (!this.allows)', 'if (false)'],
  ),
  ...within(
    'src/pdp/index/table.ts',
    ['a second condition on the same forgotten', 'cells.at(-1)!.item !== item', 'cells.length >= 0'],
    ['what may be anything else asked for by name', 'others) ^ (1 << item)', 'others) | (1 << item)'],
    ['an unknown value lets denies of others be', 'silent | denies);', 'silent);'],
    ['what is absent is not in no list', 'of(Op.notIn, Op.notExists)', 'of(Op.notExists)'],
    ['a value that is there is not enough', 'of(Op.notIn, Op.exists)', 'of(Op.notIn)'],
  ),
  ...within(
    'src/pdp/index/match.ts',
    [
      'a default that may match puts out a ban',
      'return entryOf(isBan ? next : strongest);',
      'return entryOf(strongest);',
    ],
    ['a default that does match leaves a ban', '=== 4 && this.#isUnsure(entryOf(next)))', '=== 4)'],
  ),
  ...within('src/pdp/index/smallest.ts', [
    'what shadows only is enforced',
    'scope !== shadowOnly && key < this.enforced',
    'key < this.enforced',
  ]),
  ...within(
    'src/pdp/index/given.ts',
    [
      'a key that stands where another did is taken for it',
      'if (place === undefined || key !== place.key)',
      'if (place === undefined)',
    ],
    ['what is stated is believed further than who states it', '+ 1 + this.destination.trust', '+ 1 + 4'],
  ),
  ...within('src/pdp/index/settled.ts', [
    'a fingerprint is believed',
    'if (this.#isText(attribute, text, ',
    'if (true || this.#isText(attribute, text, ',
  ]),
  ...within('src/pdp/index/walks.ts', ['of what was found the last is forgotten', 'i <= count', 'i < count']),
  ...within('src/pdp/index/reading.ts', [
    'floor compared with > instead of >=',
    '(this.cells[at + cell.trust] as number) < (dimension & lowest)',
    '(this.cells[at + cell.trust] as number) <= (dimension & lowest)',
  ]),
  ...within(
    'src/pdp/index/truths.ts',
    [
      'NotIn holds for unknown',
      'if (state === State.unknown) return Truth.unknown;',
      'if (state === State.unknown) return op === 1 ? Truth.yes : Truth.unknown;',
    ],
    [
      'absent read as unknown',
      'if (state === State.absent) return op & 1;',
      'if (state === State.absent) return Truth.unknown;',
    ],
    [
      'NotIn fails for absent',
      'if (state === State.absent) return op & 1;',
      'if (state === State.absent) return op >> 1 & op;',
    ],
    ['Exists and DoesNotExist swapped', 'op === 2 ? Truth.yes : Truth.no', 'op === 3 ? Truth.yes : Truth.no'],
    [
      'section unknown read as the one asked for',
      'if (state === State.maybe && meets && !includes(codes, first, end, exact)) return Truth.unknown;',
      '',
    ],
    ['of a list of values the last not looked at', 'let high = end - 1;', 'let high = end - 2;'],
    ['a fingerprint is believed by what looks a list of values through', 'reading.settleAll(attribute);', ''],
  ),
  ...within(
    'src/pdp/index/vocabulary.ts',
    [
      'floor of a condition ignored',
      'if (condition.floor !== undefined) return trustRank[condition.floor];',
      '',
    ],
    ['denies held to the floor of the site', 'return allows ? gateOf(', 'return true ? gateOf('],
    ['whole segments read as a string prefix', "under: match === 'under'", 'under: false'],
  ),
  ...within(
    'src/pdp/index/tree.ts',
    ['conditions past the thirtieth forgotten', ': (mask & restBit) !== 0', ': false'],
    ['leaves with other conditions left taken for one', 'mask}`).join();', '0}`).join();'],
  ),
  ...within(
    'src/pdp/index/compile.ts',
    [
      'what rules that read paths ask of their destination forgotten',
      'againLookedAt.map',
      'againLookedAt.slice(0, 2).map',
    ],
    [
      'what rules for a section ask of their destination forgotten',
      'againLookedAt.map(',
      'againLookedAt.slice(1).map(',
    ],
    [
      'what rules for a route ask of their destination forgotten',
      'new Set(againLookedAt',
      'new Set([againLookedAt[0], againLookedAt[2]]',
    ],
  ),
  ...within(
    'src/pdp/index/entries.ts',
    [
      'allows before denies',
      'return byTier.flat();',
      'return [0, 1, 3, 2, 4].flatMap((tier) => byTier[tier] ?? []);',
    ],
    [
      'shadow effects forgotten',
      'add(index, rule, rule.shadow, Scope.shadow);',
      'add(index, rule, rule.tier ?? rule.shadow, Scope.shadow);',
    ],
  ),
  ...within(
    'src/pdp/index/filing.ts',
    ['the weakest item of a list wins', 'b.strength - a.strength', 'a.strength - b.strength'],
    ['paths read by nobody', 'if (readsPath) group.paths.push(id);', ''],
    [
      'paths read by nobody where a tag is unknown',
      'if (readsPath) this.#group(0, unknownTag, list).paths.push(id);',
      '',
    ],
    [
      'denies filed under a tag forgotten where it is unknown',
      'if (!allows) this.#group(0, unknownTag, list).rules.push(all);',
      '',
    ],
  ),
  ...within(
    'src/pdp/index/find.ts',
    [
      'denies of an unknown namespace forgotten',
      'if (someUnknown && this.#unknown >= 0)',
      'if (someUnknown && this.#unknown < 0)',
    ],
    [
      'denies of an unknown tag looked for where it is known',
      'if (this.#filed(found, 0, 1)) this.#chain',
      'if (!this.#filed(found, 0, 1)) this.#chain',
    ],
  ),
];
