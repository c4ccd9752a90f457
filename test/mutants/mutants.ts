import { ofBytes } from './of-bytes.ts';
import { ofDestinations } from './of-destinations.ts';
import { ofDocuments } from './of-documents.ts';
import { ofIndex } from './of-index.ts';
import { ofTexts } from './of-texts.ts';
import { type Mutant, within } from './within.ts';

export type { Mutant };

export const mutants: readonly Mutant[] = [
  ...ofIndex,
  ...within(
    'src/pdp/decide.ts',
    ['an ambiguous path is a path', 'if (normal === undefined) ambiguous = found.reads;', ''],
    [
      'an ambiguous path changes no shadow',
      '(ambiguous & 2) === 0 ? winners.shadow : none',
      'winners.shadow',
    ],
    ['sets are complete by default', 'source?.complete ?? channel.complete', 'source?.complete ?? true'],
    [
      'the unidentified pass at inbounds',
      'if (!identified && target.inbound)',
      'if (!identified && !target.inbound)',
    ],
    [
      'half a request is enough',
      '(method === undefined || path === undefined)',
      '(method === undefined && path === undefined)',
    ],
    [
      'the trust of the last value is told',
      'Math.min(trust, reading.trust(attribute))',
      'reading.trust(attribute)',
    ],
  ),
  ...within(
    'src/pdp/values.ts',
    ['sni not lower-cased', 'asciiLower(this.sni)', 'this.sni'],
    ['the inventory believed more than the ID', 'Math.min(trust, this.#identity)', 'trust'],
    [
      'the inventory outranks what the ID says too',
      'if (this.#template !== undefined) this.#corroborate',
      'if (stated !== undefined) this.#outrank(attribute, key, into);\n    if (this.#template !== undefined) this.#corroborate',
    ],
    [
      'the worse of two trusts counts',
      'if (this.#template !== undefined) this.#corroborate(attribute, key, into);',
      '',
    ],
    [
      'an ID does not vouch for what its template says too',
      'Math.max(this.#trust, this.#identity)',
      'this.#trust',
    ],
    [
      'shared identities ignored',
      "if (word === 'shared') return",
      "if (word === 'shared' && key === '') return",
    ],
    [
      'a mesh that is not named is none',
      'if (this.#mesh === undefined) return into.unknown(attribute);',
      'if (this.#mesh === undefined) return into.absent(attribute, own);',
    ],
    ['anybody may set any attribute', 'if (vouched === undefined) {', 'if (Number.isNaN(vouched)) {'],
    [
      'only the first value of a tag counts',
      'for (let i = 1; i < value.length; i++) into.add(attribute, value[i] as string);',
      '',
    ],
  ),
  ...within('src/pdp/model/facts.ts', [
    'a trust domain is every one that begins with it',
    'trustDomain}/`',
    'trustDomain}`',
  ]),
  ...within(
    'src/pdp/index/kept-cells.ts',
    ['one of several values of a target is kept as the one', 'if (state === maybe || (', 'if (('],
    [
      'what was read of a target is kept without its trust',
      'const trust = kept[place + 1] as number;',
      'const trust = 0;',
    ],
  ),
  ...within(
    'src/pdp/origins.ts',
    [
      'one of several rules about an attribute is enough',
      'if (best < 0) return undefined;',
      'if (best < 0) continue;',
    ],
    ['no ID tells of which site it is', 'this.#isHere(spiffeId) ? this.#site : undefined', 'undefined'],
    ['what a site does not say may be', '&& isSiteKey(key) ? none.site', '&& isSiteKey(key) ? undefined'],
    [
      'a site is believed as workloads are',
      'value: ofSite, trust: configured',
      'value: ofSite, trust: observed',
    ],
    [
      'what is stated of a site goes before what its document says',
      'if (this.#isHere(spiffeId)) return configured;',
      '',
    ],
  ),
  ...ofDestinations,
  ...within('src/pdp/tag-values.ts', [
    "tags of the request before are this one's",
    'this.#request++;',
    'if (this.#request === 0) this.#request++;',
  ]),
  ...within('src/pdp/model/inventory.ts', [
    'labels are no tags',
    'if (label !== undefined && !tags.has(tag))',
    'if (label !== undefined && tags.size < 0)',
  ]),
  ...within('src/pdp/stated.ts', [
    'the ceiling of a channel ignored',
    'channel : trustRank[trust], ceiling)',
    'channel : trustRank[trust], 4)',
  ]),
  ...within(
    'src/pdp/targets.ts',
    ['one tcp inbound among several forgotten', "protocols.has('tcp') ? 'mixed' : undefined", 'undefined'],
    [
      'a tag that inbounds do not share is none',
      'if (shared === undefined) unknown.add(keys.tag + tag);',
      'if (shared === undefined) continue;',
    ],
    [
      'a service that inbounds do not share is none',
      'if (shared === undefined) unknown.add(keys.serviceName);',
      'if (shared === undefined) continue;',
    ],
    [
      'tags that the first inbound has not are none',
      'new Set([...shared.keys(), ...tags.keys()])',
      'new Set([...shared.keys()])',
    ],
    ['services are on no site', '...inventory.site.attributes,', ''],
    ['AccessPolicies allow at every inbound', "?.accessPolicies === 'full'", "?.accessPolicies !== 'none'"],
  ),
  ...within('src/pdp/model/path.ts', ['dot segments stay', "if (segment === '..') segments.pop();", '']),
  ...within(
    'src/pdp/explain/verdict.ts',
    ['explain: the weakest item of a list counts', 'strength(b) - strength(a)', 'strength(a) - strength(b)'],
    ['explain: an ambiguous path denies everywhere', 'if (ambiguous && reads)', 'if (ambiguous)'],
  ),
  ...within('src/pdp/explain/evaluate.ts', [
    'explain: floor compared with > instead of >=',
    'trustRank[seen.trust] < trustRank[floor]',
    'trustRank[seen.trust] <= trustRank[floor]',
  ]),
  ...ofTexts,
  ...ofBytes,
  ...ofDocuments,
];
