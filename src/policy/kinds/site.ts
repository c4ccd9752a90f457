import { z } from 'zod';
import { defaultTemplate } from '../../pdp/model/inventory.ts';
import { quote } from '../../pdp/model/words.ts';
import {
  attributeKey,
  list,
  name,
  object,
  someOf,
  spiffeId,
  text,
  trust,
  trustDomain,
} from '../schema/fields.ts';
import { type Flaw, sound } from '../schema/flaw.ts';
import { attributeKeyFlaw } from '../schema/text-flaws.ts';
import { plainSelector } from './access-policy.ts';
import { attributes } from './attributes.ts';

/** Whole segments only, so that a path can be read in one way. */
function templateFlaw(value: string): Flaw | undefined {
  const refuse = (message: string): Flaw => ({
    code: 'value',
    message: `got ${quote(value)}, want a template such as ${quote(defaultTemplate)}: ${message}`,
  });
  if (!value.startsWith('/')) return refuse('it starts with "/"');
  const seen = new Set<string>();
  for (const segment of value.slice(1).split('/')) {
    const key = /^\{(.*)\}$/.exec(segment)?.[1];
    if (key === undefined) {
      if (/^[A-Za-z0-9._-]+$/.test(segment) && segment !== '.' && segment !== '..') continue;
      return refuse(`${quote(segment)} is neither a path segment nor an attribute in braces`);
    }
    if (key !== 'k8s:ns' && key !== 'k8s:sa')
      return refuse(`${quote(key)} is not among "k8s:ns" and "k8s:sa"`);
    if (seen.has(key)) return refuse(`${quote(key)} stands there twice`);
    seen.add(key);
  }
  return undefined;
}

const template = z
  .string()
  .check(sound(templateFlaw))
  .meta({
    description: `Where namespace and service account stand in the path. Not given: ${defaultTemplate}`,
  });

/** A star anywhere else would be a part of a key that nothing has, and what the rule is for would be anybody's. */
function keysFlaw(value: string): Flaw | undefined {
  const star = value.indexOf('*');
  if (star === -1 || (star > 0 && star === value.length - 1)) return attributeKeyFlaw(value);
  return {
    code: 'value',
    message: `got ${quote(value)}, want an attribute, or the beginning of several and "*"`,
  };
}

const attributeKeys = z
  .string()
  .check(sound(keysFlaw))
  .meta({ description: 'An attribute, or the beginning of several and "*".', pattern: '^[^*]+[*]?$' });

const given = {
  'site:name': 'name',
  'site:location': 'location',
  'site:environment': 'environment',
  'cl:fabric': 'fabric',
};

export const site = object(
  {
    local: z.boolean().meta({ description: 'Which of several sites is this one.' }).optional(),
    location: text('Hierarchical, such as "aws/us-east/vpc17".').optional(),
    environment: text('Such as "production".').optional(),
    fabric: text('The fabric that the site belongs to.').optional(),
    attributes: attributes('Attributes of the site, such as "cl:site:tier".', given, [
      'k8s:',
      'spiffe:',
      'service:',
      'cl:service:',
    ]).optional(),
    gateway: spiffeId('The SPIFFE ID of its gateway: whom the tokens of peers are for.').optional(),
    trustDomains: list(
      z.union([
        trustDomain('A trust domain with the usual template.'),
        object({ name: trustDomain('The trust domain.'), template: template.optional() }),
      ]),
      'Trust domains whose SPIFFE IDs carry namespace and service account.',
    ).optional(),
    floor: trust('The least trust that values must have for an allow that names none.').optional(),
    hierarchical: list(
      attributeKey('An attribute.'),
      'Attributes whose values have levels: a policy value means itself and all below.',
    ).optional(),
    attributeRules: list(
      object({
        keys: someOf(attributeKeys, 'Which attributes.'),
        from: someOf(
          object({
            site: plainSelector.optional(),
            namespaces: someOf(name('A namespace.'), 'Whose workloads.'),
          }),
          'Who may set them.',
        ),
      }),
      'Who may set an attribute; from elsewhere its value counts as unknown.',
    ).optional(),
  },
  'This site, or a peer.',
);

export type SiteSpec = z.infer<typeof site>;
