import { type Context, Hono } from 'hono';
import { isObject } from '../../pdp/model/read-request.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import { oneOf as anyOf, nameOf, quote, unknownField } from '../../pdp/model/words.ts';
import { notReady } from '../decide/ask.ts';
import { believed } from '../decide/believed.ts';
import { apart, evidenceFields } from '../decide/evidence.ts';
import { requireLook } from '../http/callers.ts';
import type { Env } from '../http/env.ts';
import { readJson } from '../http/json.ts';
import { Refused } from '../http/problem.ts';
import { NotNow } from '../live/not-now.ts';
import type { Evidence, Inspector, Service } from '../service.ts';
import { envoyStates } from './envoys.ts';
import { nextOf } from './part.ts';
import type { PolicyStatus } from './policies.ts';
import { allowOnly, filterOf, oneOf, partFields, partOf } from './query.ts';
import type { Answer, ProxyName, Question } from './questions.ts';

/** What there is and what says so, in the shapes of Kuma's API where it has them. */
export function inspectRoutes({ inspector, identify, live }: Service): Hono<Env> {
  const app = new Hono<Env>();
  if (inspector === undefined) return app;
  const proxies = '/meshes/:mesh/dataplanes/:name';
  const ask = async (c: Context<Env>, question: Question): Promise<object> => {
    requireLook(c.var.caller);
    return foundIn(await asked(inspector, question));
  };
  app.get(`${proxies}/_layout`, async (c) => c.json(await ask(c, { about: 'layout', of: proxyOf(c) })));
  app.get(`${proxies}/_policies`, async (c) => c.json(await ask(c, { about: 'proxy', of: proxyOf(c) })));
  for (const about of ['inbound', 'outbound'] as const)
    app.get(`${proxies}/_${about}s/:part/_policies`, async (c) =>
      c.json(await ask(c, { about, of: proxyOf(c), part: c.req.param('part') ?? '' })),
    );
  app.get('/policies', async (c) => {
    const fields = ['kind', 'mesh', 'namespace'] as const;
    allowOnly(c, [...fields, ...partFields]);
    const part = partOf(c);
    const where = filterOf(c, fields);
    const found = (await ask(c, { about: 'policies', where, ...part })) as {
      readonly total: number;
      readonly policies: readonly PolicyStatus[];
    };
    const decided = await inspector.lastDecided();
    return c.json({
      total: found.total,
      policies: found.policies.map((one) => withLast(one, decided)),
      ...nextOf(part, found.policies.length, found.total),
    });
  });
  app.get('/policies/:kri{.+}', async (c) => {
    const found = (await ask(c, { about: 'policy', kri: c.req.param('kri') })) as PolicyStatus;
    return c.json(withLast(found, await inspector.lastDecided()));
  });
  app.get('/envoys', async (c) => {
    requireLook(c.var.caller);
    const fields = ['id', 'mesh', 'dataplane'] as const;
    allowOnly(c, ['state', ...fields, ...partFields]);
    const state = oneOf(c, 'state', envoyStates);
    const where = { ...filterOf(c, fields), ...(state === undefined ? {} : { state }) };
    const part = partOf(c);
    return c.json((await inspector.envoys?.(where, part)) ?? { total: 0, envoys: [] });
  });
  app.get('/snapshot', async (c) => {
    requireLook(c.var.caller);
    return c.json(await inspector.overview());
  });
  app.post('/attributes/whois', async (c) => {
    const { caller } = c.var;
    requireLook(caller);
    const evidence = evidenceIn(await readJson(c));
    if (live.current() === undefined) throw notReady();
    const { found, source, refused, conflicts } = believed(await identify(evidence), caller.roles);
    return c.json({ ...(found ?? { conflicts }), source, refused });
  });
  return app;
}

async function asked(inspector: Inspector, question: Question): Promise<Answer> {
  try {
    return await inspector.ask(question);
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    throw new Refused({ status: 503, title: 'nobody can say now' }, { 'retry-after': '1' });
  }
}

function foundIn(answer: Answer): object {
  if (answer.found) return answer.value;
  const near = answer.near === undefined ? '' : `, did you mean ${answer.near}?`;
  throw new Refused({
    status: 404,
    title: 'there is no such thing',
    detail: `got ${answer.missing.slice(0, 500)}, want one that there is${near}`,
  });
}

function proxyOf(c: Context<Env>): ProxyName {
  allowOnly(c, ['shadow']);
  const shadow = oneOf(c, 'shadow', ['true', 'false']);
  return { mesh: c.req.param('mesh') ?? '', name: c.req.param('name') ?? '', shadow: shadow === 'true' };
}

function withLast<T extends { readonly kri: string }>(one: T, decided: ReadonlyMap<string, number>): T {
  const last = decided.get(one.kri);
  return last === undefined ? one : { ...one, lastDecided: new Date(last).toISOString() };
}

function evidenceIn(body: unknown): Evidence {
  if (!isObject(body))
    throw wrongEvidence([
      { path: [], code: 'type', message: `got ${nameOf(body)}, want an object of evidence` },
    ]);
  const { evidence = {}, request, violations } = apart({ source: body });
  const rest = Object.keys((request as { source: object }).source).filter((key) => !isEvidence(key));
  const wrong: Violation[] = [
    ...violations.map(({ path, ...one }) => ({ ...one, path: path.slice(1) })),
    ...rest.map(
      (key): Violation => ({
        path: [key],
        code: 'unknown-field',
        ...unknownField(key, evidenceFields),
      }),
    ),
  ];
  if (wrong.length === 0 && Object.keys(evidence).length === 0)
    wrong.push({
      path: [],
      code: 'missing',
      message: `got no evidence, want ${anyOf(evidenceFields.map(quote))}`,
    });
  if (wrong.length > 0) throw wrongEvidence(wrong);
  return evidence;
}

function isEvidence(key: string): boolean {
  return evidenceFields.some((field) => field === key);
}

function wrongEvidence(violations: readonly Violation[]): Refused {
  return new Refused({ status: 400, title: 'this is not evidence', violations });
}
