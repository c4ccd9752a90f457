import type { Json } from '../openapi/schema.ts';
import { type Content, type Html, html, prose } from './html.ts';

/** What a schema takes, in a few words; what has a name is where that name leads. */
export function typeOf(schema: Json): Content {
  const { $ref, type, const: only, anyOf, items, additionalProperties } = schema;
  const values = schema['enum'];
  if (typeof $ref === 'string') return link($ref.slice($ref.lastIndexOf('/') + 1));
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (Array.isArray(values)) return joined(values.map((one) => html`<code>${String(one)}</code>`));
  if (Array.isArray(anyOf)) return joined((anyOf as Json[]).map(typeOf));
  if (type === 'array') return html`list of ${typeOf((items as Json | undefined) ?? {})}`;
  if (type === 'object' && schema['properties'] === undefined && isSchema(additionalProperties))
    return html`object of ${typeOf(additionalProperties)}`;
  if (schema['properties'] !== undefined) return html`<code>${shapeOf(schema['properties'] as Json)}</code>`;
  return typeof type === 'string' ? type : 'anything';
}

function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function joined(all: readonly Content[]): Content {
  const different = [...new Map(all.map((one) => [html`${one}`.html, one])).values()];
  return different.map((one, i) => (i === 0 ? one : html` or ${one}`));
}

function link(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`;
}

const bounds: readonly (readonly [string, (value: unknown) => string])[] = [
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minimum', (value) => `${value} or more`],
  ['maximum', (value) => `${value} or less`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${value}`],
  ['maxProperties', (value) => `at most ${value}`],
  ['pattern', (value) => `of the form ${value}`],
];

function boundsOf(schema: Json): string {
  return bounds
    .filter(
      ([name]) => schema[name] !== undefined && Math.abs(Number(schema[name])) !== Number.MAX_SAFE_INTEGER,
    )
    .filter(([name]) => !(name === 'minLength' && schema[name] === 1))
    .map(([name, words]) => words(schema[name]))
    .join(', ');
}

function shapeOf(properties: Json): string {
  return `{${Object.keys(properties).join(', ')}}`;
}

/** What is in a field stands below it, by its whole name. */
function fieldsOf(schema: Json): Html {
  return html`<div class="wide"><table><thead><tr><th scope="col">field</th><th scope="col">is</th><th scope="col">about</th></tr></thead>
<tbody>${rowsOf(schema, '')}</tbody></table></div>`;
}

function rowsOf(schema: Json, before: string): readonly Html[] {
  const required = new Set(schema['required'] as string[] | undefined);
  return Object.entries(schema['properties'] as Record<string, Json>).map(([field, one]) => {
    const name = before + field;
    const items = one['items'] as Json | undefined;
    const [type, inner, below]: [Content, Json | undefined, string] =
      items?.['properties'] !== undefined
        ? ['list of objects', items, `${name}[].`]
        : one['properties'] !== undefined
          ? ['object', one, `${name}.`]
          : [typeOf(one), undefined, ''];
    const said = one['description'];
    const bound = boundsOf(one);
    return html`<tr><th scope="row"><code>${name}</code></th><td>${type}${
      required.has(field) ? '' : html` <span class="soft">optional</span>`
    }</td><td>${typeof said === 'string' ? prose(said) : ''}${
      bound === '' ? '' : html` <span class="soft">${bound}</span>`
    }</td></tr>\n${inner === undefined ? '' : rowsOf(inner, below)}`;
  });
}

/** All of a schema that has a name. */
export function schemaOf(schema: Json): Html {
  const said = schema['description'];
  const words = typeof said === 'string' ? html`<p>${prose(said)}</p>` : '';
  if (schema['properties'] !== undefined) return html`${words}${fieldsOf(schema)}`;
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return html`${words}<p>${typeOf(schema)}</p>`;
  return html`${words}${(anyOf as Json[]).map((one) => html`<h4>${wordsOf(one)}</h4>${alternative(one)}`)}`;
}

function wordsOf(schema: Json): Content {
  const said = schema['description'];
  return typeof said === 'string' ? prose(said) : 'Either';
}

function alternative(schema: Json): Content {
  return schema['properties'] === undefined ? html`<p>${typeOf(schema)}</p>` : fieldsOf(schema);
}
