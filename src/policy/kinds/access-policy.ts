import { z } from 'zod';
import { limits } from '../../pdp/model/limits.ts';
import { attributeKey, choice, list, object, someOf, stringsThat, text, trust } from '../schema/fields.ts';
import { type Flaw, sound, whole } from '../schema/flaw.ts';
import { attributeFlaw, attributeValueFlaw } from '../schema/text-flaws.ts';

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

const expressionFields = {
  key: attributeKey('The attribute, such as "k8s:ns".'),
  operator: choice(operators, 'How the attribute is compared.'),
  values: z
    .array(z.string().check(sound(attributeValueFlaw)))
    .max(limits.conditionValues)
    .meta({ description: 'For In and NotIn.' })
    .optional(),
};

const trustField = {
  trust: trust('The least trust that the value must have; below it the condition is unknown.').optional(),
};

interface LooseExpression {
  readonly operator?: unknown;
  readonly values?: unknown;
}

function expressionFlaws(value: LooseExpression): readonly Flaw[] {
  const count = Array.isArray(value.values) ? value.values.length : 0;
  if (value.operator === 'In' || value.operator === 'NotIn') {
    if (value.values === undefined || (Array.isArray(value.values) && count === 0))
      return [
        {
          code: 'empty',
          message: `got no values, want at least one for "${value.operator}"`,
          path: ['values'],
        },
      ];
  } else if ((value.operator === 'Exists' || value.operator === 'DoesNotExist') && count > 0) {
    return [
      { code: 'conflict', message: `got values beside "${value.operator}", want none`, path: ['values'] },
    ];
  }
  return [];
}

const matchLabels = stringsThat(attributeFlaw, 'Attributes and the value that each must have.');

function selectorOf<E extends z.ZodType>(expression: E) {
  return object(
    { matchLabels: matchLabels.optional(), matchExpressions: list(expression, 'All must hold.').optional() },
    'Holds if all that is written in it holds; {} always does.',
  );
}

/** `workloadSets` is read only to be refused with its reason. */
function entryOf<S extends z.ZodType>(selector: S) {
  return object({ workloadSelector: selector, workloadSets: z.unknown().optional() }).check(
    whole((value) => {
      if (value.workloadSets === undefined) return [];
      const message = 'got "workloadSets", want "workloadSelector": sets of workloads are defined nowhere';
      return [{ code: 'value', message, path: ['workloadSets'] }];
    }),
  );
}

const clusterLinkExpression = object(expressionFields).check(whole((value) => expressionFlaws(value)));
const expression = object({ ...expressionFields, ...trustField }).check(
  whole((value) => expressionFlaws(value)),
);
/** Without floors. */
export const plainSelector = selectorOf(clusterLinkExpression);
const clusterLinkEntry = entryOf(plainSelector);
const selector = selectorOf(expression);
const entry = entryOf(selector);

const from = 'Sources, one of which must hold.';
const to = 'Destinations, one of which must hold.';

export const clusterLinkAccessPolicy = object(
  {
    action: choice(['allow', 'deny'], 'What happens to connections that match.'),
    from: someOf(clusterLinkEntry, from),
    to: someOf(clusterLinkEntry, to),
  },
  'Who may connect to which services, by attributes of both.',
);

export const accessPolicy = object(
  {
    action: choice(
      ['allow', 'deny', 'allowWithShadowDeny', 'denyWithShadowAllow'],
      'What happens to connections that match: enforced first, shadow effect second.',
    ),
    description: text('For people.').optional(),
    trust: trust(
      'The least trust that values of the source must have, where an expression names none.',
    ).optional(),
    from: someOf(entry, from),
    to: someOf(entry, to),
  },
  'Who may connect to which services, by attributes of both.',
);

export type AccessPolicySpec = z.infer<typeof accessPolicy>;
export type Selector = z.infer<typeof selector>;
