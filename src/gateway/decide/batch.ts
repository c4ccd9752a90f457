import { setImmediate } from 'node:timers/promises';
import type { Fields } from '../../pdp/model/fields.ts';
import { limits } from '../../pdp/model/limits.ts';
import { isObject } from '../../pdp/model/read-request.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { nameOf, unknownField } from '../../pdp/model/words.ts';
import { requireRole } from '../http/callers.ts';
import { BodySheet } from '../http/sheet.ts';
import type { Answering } from '../http/ways.ts';
import type { Caller, Live, Snapshot } from '../service.ts';
import type { Answered, Ask } from './ask.ts';
import { invalid } from './one.ts';
import { replyText } from './reply.ts';

/** `POST /decide/batch`: each request with the defaults of all, and one that is none spoils no other. */
export function batch(
  live: Pick<Live, 'current'>,
  ask: Ask,
  now: () => number = () => performance.now(),
): Answering {
  const all = (
    count: number,
    request: (i: number) => unknown,
    caller: Caller,
    snapshot: Snapshot | undefined,
  ): string | Promise<string> => {
    const detailed = caller.roles.has('explain');
    const known = snapshot === undefined ? {} : { snapshot };
    const reply = (all: readonly Answered[]): string =>
      `{"decisions":[${all.map((answered) => replyText(answered, detailed)).join(',')}]}`;
    const answers = inPieces(count, (i) => ask(request(i), caller, 'batch', known), now);
    return answers instanceof Promise ? answers.then(reply) : reply(answers);
  };
  return {
    answer(body, caller) {
      requireRole(caller, 'decide');
      const { defaults, requests } = read(body);
      const common = Object.keys(defaults).length > 0;
      const request = (i: number) => (common ? withDefaults(requests[i], defaults) : requests[i]);
      return all(requests.length, request, caller, live.current());
    },
    plainly(body, caller) {
      const snapshot = live.current();
      const requests = snapshot?.scan?.(new BodySheet(body)).batch(limits.batchRequests);
      if (requests === undefined) return undefined;
      requireRole(caller, 'decide');
      return all(requests.length, (i) => requests[i], caller, snapshot);
    },
  };
}

/** Milliseconds for which a batch keeps everybody else waiting. */
export const longestPiece = 20;

/** A little text can be a lot of work, certificates above all: what takes long lets others have their turn. */
function inPieces(
  count: number,
  answer: (i: number) => Answered | Promise<Answered>,
  now: () => number,
): readonly Answered[] | Promise<readonly Answered[]> {
  const piece = (from: number): (Answered | Promise<Answered>)[] => {
    const end = now() + longestPiece;
    const answers = [];
    for (let i = from; i < count && (i === from || now() < end); i++) answers.push(answer(i));
    return answers;
  };
  const rest = async (first: readonly (Answered | Promise<Answered>)[]): Promise<readonly Answered[]> => {
    const all = await Promise.all(first);
    while (all.length < count) {
      await setImmediate();
      all.push(...(await Promise.all(piece(all.length))));
    }
    return all;
  };
  const first = piece(0);
  return first.length === count && first.every(isAnswered) ? first : rest(first);
}

function isAnswered(answer: Answered | Promise<Answered>): answer is Answered {
  return !(answer instanceof Promise);
}

function read(body: unknown): { readonly defaults: Fields; readonly requests: readonly unknown[] } {
  if (!isObject(body))
    throw invalid([
      { path: [], code: 'type', message: `got ${nameOf(body)}, want an object with "requests"` },
    ]);
  const found: Violation[] = [];
  const { defaults = {}, requests } = body;
  for (const key of Object.keys(body))
    if (key !== 'defaults' && key !== 'requests')
      found.push({ path: [key], code: 'unknown-field', ...unknownField(key, ['defaults', 'requests']) });
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
