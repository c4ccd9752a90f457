import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { limits } from '../../pdp/model/limits.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { readBody } from './body.ts';
import type { Env } from './env.ts';
import { Refused } from './problem.ts';
import { readJsonBytes } from './read-json.ts';
import { resting } from './room.ts';

/** The body of a request as JSON, or a refusal that says what is wrong with it. */
export function readJson(c: Context<Env>, most: number = limits.bodyBytes): Promise<unknown> {
  const { incoming } = c.env;
  checkHead(incoming);
  return resting(
    incoming,
    new Promise((resolve, reject) => {
      readBody(incoming, most, (error, body) => {
        if (body === undefined) return reject(error);
        try {
          resolve(parseBody(body));
        } catch (refused) {
          reject(refused);
        }
      });
    }),
  );
}

const json = /^application\/json[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?;?$/i;

/** What is refused by the head alone. */
export function checkHead({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type !== 'application/json' && !json.test(type ?? ''))
    throw new Refused(
      {
        status: 415,
        title: 'the body is not JSON',
        detail: `got ${type === undefined ? 'no content-type' : `content-type ${JSON.stringify(type)}`}, want application/json, in UTF-8`,
      },
      { accept: 'application/json' },
    );
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refused(
      {
        status: 415,
        title: 'the body is encoded',
        detail: `got content-encoding ${JSON.stringify(encoding)}, want none`,
      },
      { 'accept-encoding': 'identity' },
    );
}

export function parseBody(body: Buffer): unknown {
  const read = readJsonBytes(body, 'body');
  if (!read.ok) throw notJson(read.violations);
  return read.value;
}

function notJson(violations: readonly Violation[]): Refused {
  const [first] = violations;
  const { place } = first ?? {};
  const where = place === undefined ? '' : ` at line ${place.line}, column ${place.column}`;
  return new Refused({
    status: 400,
    title: 'the body is not JSON as it is read here',
    ...(first === undefined ? {} : { detail: `${first.message}${where}` }),
    violations,
  });
}
