import { z } from 'zod';
import { type Fields, isFields } from '../../pdp/model/fields.ts';
import { quote } from '../../pdp/model/words.ts';
import { list, object } from '../schema/fields.ts';
import { type Flaw, whole } from '../schema/flaw.ts';
import type { Direction, PolicyKind } from '../targets/policy-kind.ts';
import { targetRefSchema } from '../targets/ref-schema.ts';
import type { Kind } from './kind.ts';

/** Schemas are made when they are first asked for: most sets have policies of few kinds. */
const made = new WeakMap<PolicyKind, z.ZodType>();

/** A kind that a document describes, as one that is read. */
export function describedKind(kind: PolicyKind): Kind {
  return {
    name: kind.name,
    file: kind.name.replace(/(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, '-$&').toLowerCase(),
    namespace: 'optional',
    mesh: true,
    shortName: kind.shortName,
    described: kind,
    readings: [
      {
        apiVersion: kind.apiVersion,
        get schema() {
          const known = made.get(kind) ?? schemaOf(kind);
          made.set(kind, known);
          return known;
        },
      },
    ],
  };
}

/** By which Kuma's older policies say what they are for. */
export const olderFields = ['sources', 'destinations', 'selectors'] as const;

/** Kinds of the same name in Kuma's older form have sources, destinations or selectors, and are not read. */
export function isOlder(spec: unknown): boolean {
  return (
    isFields(spec) &&
    spec['targetRef'] === undefined &&
    olderFields.some((field) => Array.isArray(spec[field]))
  );
}

/** Both forms (SPEC REF3): `conf` is the first-wins one, `to`, `from`, `rules` and `default` the other. */
function schemaOf(kind: PolicyKind): z.ZodType {
  const { directions, targets } = kind;
  const conf = confSchema(kind.fields);
  const shape: Record<string, z.ZodType> = {
    targetRef: targetRefSchema('top', targets.top, true).optional(),
  };
  const inline: Record<string, z.ZodType> = {};
  for (const direction of directions) {
    const ref = targetRefSchema(direction, targets[direction]);
    const targetRef = direction === 'to' ? ref : ref.optional();
    shape[direction] = list(object({ targetRef, default: conf }), words[direction]).optional();
    inline[direction] = list(inlineSchema(targetRef, kind.fields), words[direction]).optional();
  }
  if (directions.includes('from'))
    shape['rules'] = list(object({ default: conf }), 'The same for all clients of the mesh.').optional();
  const only = directions.length === 0;
  if (only) shape['default'] = conf.optional();
  shape['conf'] = (only ? conf : object(inline, 'The form in which the first item wins.')).optional();
  return object(shape, `A policy of the kind ${kind.name}.`).check(
    whole((value, hasUnknown) => formFlaws(value as Fields, hasUnknown, kind)),
  );
}

const words: Readonly<Record<Direction, string>> = {
  to: 'A conf for each destination.',
  from: 'A conf for each client.',
};

function confSchema(fields: readonly string[] | undefined) {
  if (fields === undefined)
    return z.record(z.string(), z.unknown()).meta({ description: 'What is configured.' });
  return object(Object.fromEntries(fields.map((field) => [field, z.unknown().optional()])));
}

function inlineSchema(targetRef: z.ZodType, fields: readonly string[] | undefined) {
  if (fields === undefined) return z.looseObject({ targetRef });
  return object({ targetRef, ...Object.fromEntries(fields.map((field) => [field, z.unknown().optional()])) });
}

function formFlaws(value: Fields, hasUnknown: boolean, kind: PolicyKind): readonly Flaw[] {
  const later = ['to', 'from', 'rules', 'default'].filter((field) => value[field] !== undefined);
  const first = value['conf'] !== undefined;
  if (first && later.length > 0)
    return later.map((field) => bothOf('conf', field, 'the first-wins form stands in "conf" alone'));
  if (later.includes('from') && later.includes('rules')) return [bothOf('from', 'rules')];
  if (first && kind.form === 'later-overrides') return [wrongForm('conf', kind)];
  if (later.length > 0 && kind.form === 'first-wins') return later.map((field) => wrongForm(field, kind));
  const arrays = kind.directions;
  const conf = value['conf'];
  if (first && arrays.length > 0 && isFields(conf) && arrays.every((one) => conf[one] === undefined))
    return [missing(['conf'], arrays)];
  if (first || later.length > 0 || hasUnknown) return [];
  return [missing([], arrays.length === 0 ? ['default', 'conf'] : [...arrays, 'conf'])];
}

function bothOf(one: string, other: string, hint?: string): Flaw {
  const message = `got both "${one}" and "${other}", want one of them`;
  return { code: 'conflict', message, path: [other], ...(hint === undefined ? {} : { hint }) };
}

function wrongForm(field: string, kind: PolicyKind): Flaw {
  const message = `got "${field}", want the form ${quote(kind.form!)}, in which alone a ${kind.name} is written`;
  return { code: 'conflict', message, path: [field] };
}

function missing(path: readonly string[], fields: readonly string[]): Flaw {
  const want =
    fields.length === 1
      ? quote(fields[0]!)
      : `one of ${fields
          .map(quote)
          .join(', ')
          .replace(/, ([^,]*)$/, ' and $1')}`;
  return { code: 'missing', message: `got none of what it is about, want ${want}`, path: [...path] };
}
