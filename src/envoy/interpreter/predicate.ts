import { type Cursor, chosen, required, whole } from './cursor.ts';
import { metered, type Test } from './evidence.ts';
import { type FilterKind, type Input, readInput } from './inputs.ts';
import { readTextMatcher } from './text-matcher.ts';
import { readValueMatcher } from './value-matcher.ts';

const kinds = ['single_predicate', 'or_matcher', 'and_matcher', 'not_matcher'] as const;

export function readPredicate(cursor: Cursor, filter: FilterKind): Test | undefined {
  const fields = cursor.fields(...kinds);
  const found = fields && chosen(cursor, fields, kinds);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  if (kind === 'single_predicate') return readSingle(config, filter);
  if (kind === 'not_matcher') {
    const inner = readPredicate(config, filter);
    return inner && ((seen) => !inner(seen));
  }
  const list = config.fields('predicate');
  const parts = list && required(config, list, 'predicate');
  const tests = whole(parts?.items(2)?.map((part) => readPredicate(part, filter)));
  if (tests === undefined) return undefined;
  return kind === 'or_matcher'
    ? (seen) => tests.some((test) => test(seen))
    : (seen) => tests.every((test) => test(seen));
}

function readSingle(cursor: Cursor, filter: FilterKind): Test | undefined {
  const fields = cursor.fields('input', 'value_match', 'custom_match');
  const place = fields && required(cursor, fields, 'input');
  const found = fields && chosen(cursor, fields, ['value_match', 'custom_match']);
  const input = place && readInput(place, filter);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  const test = kind === 'value_match' ? readValueMatch(config, input) : readCustomMatch(config, input);
  return test && metered(test);
}

function readValueMatch(config: Cursor, input: Input | undefined): Test | undefined {
  const test = readTextMatcher(config, 'matcher-api');
  if (test === undefined || input === undefined) return undefined;
  // Envoy accepts this, and what is no text never matches.
  if (input.kind === 'metadata') return () => false;
  return (seen) => {
    const value = input.read(seen);
    return value !== undefined && test(value);
  };
}

function readCustomMatch(config: Cursor, input: Input | undefined): Test | undefined {
  const extension = config.extension();
  if (extension === undefined) return undefined;
  if (extension.type !== 'envoy.extensions.matching.input_matchers.metadata.v3.Metadata') {
    return config.unknown(`the matcher ${extension.type}`);
  }
  const fields = extension.config.fields('value', 'invert');
  const value = fields && required(extension.config, fields, 'value');
  const test = value && readValueMatcher(value);
  const invert = fields?.get('invert')?.flag() ?? false;
  if (test === undefined || input === undefined) return undefined;
  if (input.kind === 'text') return config.unknown('the metadata matcher over an input of text');
  return (seen) => test(input.read(seen)) !== invert;
}
