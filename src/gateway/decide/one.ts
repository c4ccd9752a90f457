import { asObject } from '../../pdp/index/written.ts';
import { isObject } from '../../pdp/model/read-request.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { nameOf } from '../../pdp/model/words.ts';
import { requireRole } from '../http/callers.ts';
import { Refused } from '../http/problem.ts';
import { BodySheet } from '../http/sheet.ts';
import type { Answering } from '../http/ways.ts';
import type { Caller, Service } from '../service.ts';
import type { Answered, Ask } from './ask.ts';
import { unaskedExplanation, withDecision } from './explained.ts';
import { replyText } from './reply.ts';

/** `POST /decide` */
export function one({ live, observer }: Service, ask: Ask): Answering {
  return {
    answer(body, caller) {
      requireRole(caller, 'decide');
      if (isObject(body) && body['explain'] !== undefined) return explained(body, caller);
      return replyTo(ask(body, caller, 'decide'), caller);
    },
    plainly(body, caller) {
      const snapshot = live.current();
      const request = snapshot?.scan?.(new BodySheet(body)).one();
      if (snapshot === undefined || request === undefined) return undefined;
      requireRole(caller, 'decide');
      return replyTo(ask(request, caller, 'decide', { snapshot }), caller);
    },
  };

  async function explained(
    { explain, ...body }: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<string> {
    if (typeof explain !== 'boolean')
      throw invalid([
        { path: ['explain'], code: 'type', message: `got ${nameOf(explain)}, want true or false` },
      ]);
    if (!explain) return reply(await ask(body, caller, 'decide'), caller);
    requireRole(caller, 'explain', '"explain": true');
    const answered = await ask(body, caller, 'decide');
    const { decision, request, channel, snapshot } = answered;
    if (decision.reason === 'invalid-request') return reply(answered, caller);
    if (answered.unasked) return replyText(answered, true, unaskedExplanation(answered));
    try {
      const explanation = await live.explain(asObject(request), channel, snapshot.name);
      return replyText(answered, true, withDecision(explanation, answered));
    } catch (error) {
      // Who knows the documents may be gone for a moment, or have newer ones; the decision stands, its why does not.
      observer.failed?.(error);
      throw new Refused({ status: 503, title: 'not to be explained now' }, { 'retry-after': '1' });
    }
  }
}

function replyTo(answered: Answered | Promise<Answered>, caller: Caller): string | Promise<string> {
  return answered instanceof Promise ? answered.then((one) => reply(one, caller)) : reply(answered, caller);
}

function reply(answered: Answered, caller: Caller): string {
  const { reason, violations } = answered.decision;
  if (reason === 'invalid-request') throw invalid(violations ?? []);
  return replyText(answered, caller.roles.has('explain'));
}

export function invalid(violations: readonly Violation[]): Refused {
  return new Refused({ status: 400, title: 'this is not a request', violations });
}
