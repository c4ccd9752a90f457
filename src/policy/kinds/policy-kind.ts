import { z } from 'zod';
import { quote } from '../../pdp/model/words.ts';
import { choice, list, name, object, someOf } from '../schema/fields.ts';
import { type Flaw, sound, whole } from '../schema/flaw.ts';
import type { PolicyKind } from '../targets/policy-kind.ts';
import { destinationKinds, targetKinds } from '../targets/target-ref.ts';
import { kuma } from './groups.ts';
import type { Head } from './head.ts';

/** A document that describes a kind of policies, so that it is read and merged without being known to the code. */

const kindsOf = (description: string) =>
  list(choice(targetKinds as unknown as [string, ...string[]], 'A kind of target.'), description);

const direction = choice(
  ['to', 'from'],
  'to: a conf for each destination of a proxy. from: a conf for each client of its inbounds.',
);

const path = z
  .string()
  .check(sound(like(/^[^.\s]+(\.[^.\s]+)*$/, 'names of fields, joined by dots')))
  .meta({ description: 'Names of fields, joined by dots.' });

function like(pattern: RegExp, want: string): (value: string) => Flaw | undefined {
  return (value) =>
    pattern.test(value) ? undefined : { code: 'value', message: `got ${quote(value)}, want ${want}` };
}

export const policyKind = object(
  {
    directions: list(direction, 'The arrays that its policies have; none: one conf, in "default" or "conf".'),
    shortName: z
      .string()
      .check(sound(like(/^[a-z][a-z0-9]{0,31}$/, 'up to 32 out of a-z 0-9, the first a letter')))
      .meta({ description: 'What identifiers of its policies begin with.' }),
    group: z
      .string()
      .check(sound(like(/^[a-z0-9.-]{1,253}\/[a-z0-9]{1,63}$/, 'a group and a version')))
      .meta({ description: `The group and version it is read in; ${kuma} if not given.` })
      .optional(),
    form: choice(
      ['first-wins', 'later-overrides'],
      'The only form that is read. Not given: the one in which a document is written.',
    ).optional(),
    targets: object(
      {
        top: kindsOf('What its policies may be for.').optional(),
        to: kindsOf('Which destinations its policies may name.').optional(),
        from: kindsOf('Which clients its policies may name.').optional(),
      },
      'The kinds of targets. Not given: all that have a meaning there.',
    ).optional(),
    concat: list(path, 'Fields whose lists are concatenated; those named "append…" are anyway.').optional(),
    clusters: z
      .boolean()
      .meta({
        description:
          'Whether it configures clusters, so that a producer may write it for a MeshGateway. Not given: if it may name a MeshService.',
      })
      .optional(),
    fields: someOf(name('A field.'), 'The fields of its conf. Not given: any.').optional(),
  },
  'A kind of policies: how they are written, what they may target and how they are merged.',
).check(
  whole((value) => {
    const flaws: Flaw[] = [];
    if (!Array.isArray(value.directions)) return flaws;
    const { directions } = value;
    for (const [index, one] of directions.entries())
      if (directions.indexOf(one) !== index)
        flaws.push({
          code: 'conflict',
          message: `got ${JSON.stringify(one)} twice`,
          path: ['directions', index],
        });
    const targets = value.targets as Readonly<Record<string, unknown>> | null | undefined;
    for (const one of ['to', 'from'])
      if (targets?.[one] !== undefined && !directions.includes(one))
        flaws.push({
          code: 'conflict',
          message: `got targets for "${one}", want them for what stands in "directions" only`,
          path: ['targets', one],
        });
    return flaws;
  }),
);

export type PolicyKindSpec = z.infer<typeof policyKind>;

const usual = {
  top: [
    'Mesh',
    'MeshSubset',
    'MeshGateway',
    'MeshService',
    'MeshServiceSubset',
    'Dataplane',
    'MeshGatewayRoute',
    'MeshHTTPRoute',
    'MeshTCPRoute',
  ],
  to: destinationKinds,
  from: ['Mesh', 'MeshSubset', 'MeshService', 'MeshServiceSubset'],
} as const satisfies PolicyKind['targets'];

export function policyKindOf(head: Head, spec: PolicyKindSpec): PolicyKind {
  const written = (spec.targets ?? {}) as Partial<PolicyKind['targets']>;
  const top = written.top ?? usual.top;
  const to = spec.directions.includes('to') ? (written.to ?? usual.to) : [];
  const from = spec.directions.includes('from') ? (written.from ?? usual.from) : [];
  return {
    name: head.name,
    shortName: spec.shortName,
    apiVersion: spec.group ?? kuma,
    directions: spec.directions,
    form: spec.form,
    targets: { top, to, from },
    concat: (spec.concat ?? []).map((one) => one.split('.')),
    clusters: spec.clusters ?? to.includes('MeshService'),
    fields: spec.fields,
    document: head.document,
  };
}
