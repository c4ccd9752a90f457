import { z } from 'zod';
import { type Operation, type Parameter, type Reply, tags } from './operation.ts';
import { problem } from './problem.ts';
import { type Json, Schemas } from './schema.ts';

/** OpenAPI 3.1, made of the schemas that read requests. */
export function documentOf(operations: readonly Operation[], version: string): Json {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(operation, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Placet',
      version,
      summary: 'Decides who may talk to whom, across clusters and meshes.',
      description:
        'A denial is an answer and no error: it comes with status 200. Whatever else comes is a reason to deny. Problems are RFC 9457. Names in examples are made up, and what is asked of them is mostly denied; a question that this service answers by its own policies is printed where it starts.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        certificate: {
          type: 'mutualTLS',
          description: 'An X509-SVID of a caller that the configuration names.',
        },
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A JWT-SVID, or a token of a service account.',
        },
      },
    },
  };
}

function described(operation: Operation, schemas: Schemas): Json {
  const { id, tag, summary, description, role, parameters = {}, body } = operation;
  const open = role === 'nobody';
  const needs = open ? 'Open to everybody.' : `Needs the role \`${role}\`.`;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description === undefined ? needs : `${description}\n\n${needs}`,
    security: open ? [] : [{ certificate: [] }, { token: [] }, {}],
    'x-role': role,
    ...(Object.keys(parameters).length === 0
      ? {}
      : { parameters: Object.entries(parameters).map(([name, one]) => parameterOf(name, one, schemas)) }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, schemas) }),
    responses: responsesOf(operation, schemas),
  };
}

/** A status may be a reply to a client, and a problem of its proxy. */
function responsesOf(operation: Operation, schemas: Schemas): Json {
  const responses: Record<string, Json> = {};
  for (const [status, reply] of Object.entries(operation.replies))
    responses[status] = replyOf(reply, schemas);
  for (const status of problemsOf(operation)) {
    const [reply, problem] = [responses[status], problemOf(status, schemas)];
    responses[status] =
      reply === undefined
        ? problem
        : { ...reply, content: { ...(reply['content'] as Json), ...(problem['content'] as Json) } };
  }
  return responses;
}

function parameterOf(
  name: string,
  { in: where, schema, description, example }: Parameter,
  schemas: Schemas,
): Json {
  return {
    name,
    in: where,
    required: where === 'path',
    description,
    schema: schemas.add(schema, 'input'),
    ...(example === undefined ? {} : { example }),
  };
}

function bodyOf({ schema, examples }: NonNullable<Operation['body']>, schemas: Schemas): Json {
  return {
    required: true,
    content: {
      'application/json': {
        schema: schemas.add(schema, 'input'),
        examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
      },
    },
  };
}

function replyOf({ description, schema, type = 'application/json' }: Reply, schemas: Schemas): Json {
  if (schema === undefined && type === 'application/json') return { description };
  const content = schema === undefined ? { type: 'string' } : schemas.add(schema, 'output');
  return { description, content: { [type]: { schema: content } } };
}

/** What may be wrong wherever there is a body, and wherever one has to be somebody. */
function problemsOf({ role, body, problems = [], never = [] }: Operation): number[] {
  const all = [
    ...(body === undefined ? [] : [400, 413, 415]),
    ...(role === 'nobody' ? [] : [401, 403, 503]),
    ...problems,
  ];
  return [...new Set(all)].filter((status) => !never.some((one) => one === status)).sort((a, b) => a - b);
}

const meanings: Readonly<Record<number, string>> = {
  400: 'The request is none.',
  401: 'Nobody we know.',
  403: 'Not with these roles.',
  404: 'There is nothing of that name.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  503: 'Not now: the policies were not read yet, or there is too much to do.',
};

function problemOf(status: number, schemas: Schemas): Json {
  const schema = schemas.add(problem, 'output');
  return {
    description: meanings[status] ?? 'Not like this.',
    content: { 'application/problem+json': { schema } },
    ...(status === 503 ? { headers: { 'Retry-After': { schema: schemas.add(z.string(), 'output') } } } : {}),
  };
}
