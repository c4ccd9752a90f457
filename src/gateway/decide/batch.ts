import { limits } from '../../pdp/model/limits.ts';
import { isObject } from '../../pdp/model/read-request.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { unknownFieldMessage } from '../../policy/schema/issues.ts';
import { nameOf } from '../../policy/schema/words.ts';
import { requireRole } from '../http/callers.ts';
import type { Answer } from '../http/ways.ts';
import type { Answered, Ask } from './ask.ts';
import { invalid } from './one.ts';
import { replyText } from './reply.ts';

/** `POST /decide/batch`: each request with the defaults of all, and one that is none spoils no other. */
export function batch(ask: Ask): Answer {
  return (body, caller) => {
    requireRole(caller, 'decide');
    const { defaults, requests } = read(body);
    const detailed = caller.roles.has('explain');
    const answers = requests.map((request) => ask(withDefaults(request, defaults), caller, 'batch'));
    const reply = (all: readonly Answered[]): string =>
      `{"decisions":[${all.map((answered) => replyText(answered, detailed)).join(',')}]}`;
    return answers.every(isAnswered) ? reply(answers) : Promise.all(answers).then(reply);
  };
}

function isAnswered(answer: Answered | Promise<Answered>): answer is Answered {
  return !(answer instanceof Promise);
}

type Fields = Readonly<Record<string, unknown>>;

function read(body: unknown): { readonly defaults: Fields; readonly requests: readonly unknown[] } {
  if (!isObject(body))
    throw invalid([
      { path: [], code: 'type', message: `got ${nameOf(body)}, want an object with "requests"` },
    ]);
  const found: Violation[] = [];
  const { defaults = {}, requests } = body;
  for (const key of Object.keys(body))
    if (key !== 'defaults' && key !== 'requests')
      found.push({
        path: [key],
        code: 'unknown-field',
        message: unknownFieldMessage(key, ['defaults', 'requests']),
      });
  if (!isObject(defaults))
    found.push({ path: ['defaults'], code: 'type', message: `got ${nameOf(defaults)}, want an object` });
  if (!Array.isArray(requests))
    found.push({
      path: ['requests'],
      code: requests === undefined ? 'missing' : 'type',
      message: `got ${nameOf(requests)}, want a list of requests`,
    });
  else if (requests.length > limits.batchRequests)
    found.push({
      path: ['requests'],
      code: 'limit',
      message: `got ${requests.length} requests, want at most ${limits.batchRequests}`,
    });
  if (found.length > 0 || !isObject(defaults) || !Array.isArray(requests)) throw invalid(found);
  return { defaults, requests };
}

const ways = ['dataplane', 'service', 'attributes'];

/** Field by field, in each part of the request; what says which destination is meant is one field. */
function withDefaults(request: unknown, defaults: Fields): unknown {
  if (!isObject(request)) return request;
  const whole: Record<string, unknown> = { ...defaults, ...request };
  for (const part of ['source', 'destination', 'request']) {
    const [own, common] = [request[part], defaults[part]];
    if (!isObject(own) || !isObject(common)) continue;
    const merged: Record<string, unknown> = { ...common, ...own };
    if (part === 'destination' && ways.some((way) => own[way] !== undefined))
      for (const way of ways) if (own[way] === undefined) delete merged[way];
    whole[part] = merged;
  }
  return whole;
}
