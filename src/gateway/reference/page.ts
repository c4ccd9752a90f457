import type { Json } from '../openapi/schema.ts';
import { type Content, type Html, html, prose } from './html.ts';
import { schemaOf, typeOf } from './schema.ts';
import { style } from './style.ts';

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly required: boolean;
    readonly schema: Json;
    readonly example?: string;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Json; readonly examples: Json } };
  };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Json }>>;
}

interface Document {
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

interface Placed extends Described {
  readonly method: string;
  readonly path: string;
}

/** A page out of a document of ours, whole in itself: no script, and nothing from elsewhere. `base`: where to ask. */
export function pageOf(document: Json, base: string): string {
  const { info, tags, paths, components } = document as unknown as Document;
  const all: Placed[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method, path })),
  );
  const names = Object.keys(components.schemas);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}: reference</title>
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#main">to the content</a>
<nav aria-label="Contents">
<strong>${info.title}</strong> <span class="soft">${info.version}</span>
${tags.map(({ name }) => html`<h2>${name}</h2><ul>${all.filter((one) => one.tags.includes(name)).map(entryOf)}</ul>\n`)}
<h2>Schemas</h2><ul>${names.map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</nav>
<main id="main">
<h1>${info.title} <small>${info.version}</small></h1>
<p class="summary">${info.summary}</p>
<p>${prose(info.description)}</p>
<p class="soft">The same for programs: <a href="/openapi.json">openapi.json</a></p>
${tags.map(({ name, description }) => {
  const own = all.filter((one) => one.tags.includes(name));
  return html`<section><h2 id="tag-${name}">${name}</h2><p class="soft">${description}</p>${own.map((one) => operationOf(one, base))}</section>\n`;
})}
<section><h2 id="schemas">Schemas</h2>
${names.map((name) => html`<article id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${schemaOf(components.schemas[name] as Json)}</article>\n`)}
</section>
</main>
</body>
</html>
`;
  return page.html;
}

function entryOf({ operationId, method, path }: Placed): Html {
  return html`<li><a href="#${operationId}">${method.toUpperCase()} ${path}</a></li>`;
}

function operationOf(operation: Placed, base: string): Html {
  const {
    operationId,
    method,
    path,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
  } = operation;
  const body = requestBody?.content['application/json'];
  return html`<article id="${operationId}">
<h3><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span><span class="path">${path}</span></a></h3>
<p class="summary">${summary}</p>
${description.split('\n\n').map((part) => html`<p class="soft">${prose(part)}</p>`)}
${parameters.length === 0 ? '' : parametersOf(parameters)}
${body === undefined ? '' : html`<h4>Body</h4><p>${typeOf(body.schema)}</p>`}
<h4>Replies</h4>
<div class="wide"><table><thead><tr><th scope="col">status</th><th scope="col">is</th><th scope="col">about</th></tr></thead><tbody>${Object.entries(responses).map(replyOf)}</tbody></table></div>
<h4>Try it</h4>
${curlsOf(operation, base).map((line) => html`<pre tabindex="0"><code>${line}</code></pre>`)}
</article>
`;
}

function parametersOf(parameters: NonNullable<Described['parameters']>): Html {
  return html`<h4>Parameters</h4><div class="wide"><table><thead><tr><th scope="col">name</th><th scope="col">is</th><th scope="col">about</th></tr></thead><tbody>${parameters.map(
    ({ name, in: where, description, required, schema }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${typeOf(schema)} <span class="soft">in the ${where}${required ? '' : ', optional'}</span></td><td>${prose(description)}</td></tr>\n`,
  )}</tbody></table></div>`;
}

function replyOf([status, { description, content = {} }]: [string, Described['responses'][string]]): Html {
  const types = Object.entries(content).map(([type, one]): Content => {
    const { schema } = one as { readonly schema: Json };
    return type.endsWith('json') ? typeOf(schema) : type;
  });
  return html`<tr><th scope="row">${status}</th><td>${types}</td><td>${prose(description)}</td></tr>\n`;
}

/** Lines for a shell, one for each example. */
function curlsOf({ method, path, parameters = [], requestBody }: Placed, base: string): string[] {
  const examples = new Map(parameters.map(({ name, example }) => [name, example]));
  const url =
    base + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(examples.get(name) ?? name));
  if (requestBody === undefined) {
    const how = method === 'get' ? '' : method === 'head' ? '-I ' : `-X ${method.toUpperCase()} `;
    const headers = parameters.filter((one) => one.in === 'header' && one.example !== undefined);
    const given = headers.map(({ name, example }) => ` -H ${quoted(`${name}: ${example}`)}`);
    return [`curl -s ${how}${quoted(url)}${given.join('')}`];
  }
  const bodies = Object.values(requestBody.content['application/json'].examples ?? {});
  return bodies.map((one) => {
    const body = JSON.stringify((one as { readonly value: unknown }).value, null, 2);
    return `curl -s ${quoted(url)} -H 'content-type: application/json' -d ${quoted(body)}`;
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
