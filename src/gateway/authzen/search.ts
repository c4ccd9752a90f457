import { limits } from '../../pdp/model/limits.ts';
import type { Channel } from '../../pdp/model/request.ts';
import { keys } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { Refused } from '../http/problem.ts';
import type { Snapshot } from '../service.ts';
import { decided, mapped } from './ask.ts';
import { type Page, pageOf, tokenAfter } from './page.ts';
import { resourcesOf } from './resource.ts';
import { firstAfter, subjectsOf } from './subject.ts';
import type { ActionSearch, Evaluation, Found, ResourceSearch, SubjectSearch } from './types.ts';

interface Named {
  readonly type: string;
  readonly id: string;
}

/** A result is what an evaluation by the same caller allows (SPEC AZ30). */
export function searchSubjects(
  { page, ...query }: SubjectSearch,
  snapshot: Snapshot,
  channel: Channel,
): Found<Named> {
  const { type } = query.subject;
  const asked = pageOf(query, page);
  return search(
    snapshot,
    channel,
    asked,
    subjectsOf(query.subject, snapshot.inventory, asked.after),
    (id) => ({
      result: { type, id },
      evaluation: { ...query, subject: { type, id } },
    }),
  );
}

export function searchResources(
  { page, ...query }: ResourceSearch,
  snapshot: Snapshot,
  channel: Channel,
): Found<Named> {
  const { type, properties } = query.resource;
  const asked = pageOf(query, page);
  return search(
    snapshot,
    channel,
    asked,
    resourcesOf(query.resource, snapshot.inventory, asked.after),
    (id) => ({
      result: { type, id },
      evaluation: { ...query, resource: { type, id, properties } },
    }),
  );
}

/** What HTTP knows to do, beside what policies speak of. */
const methods = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'];

export function searchActions(
  { page, ...query }: ActionSearch,
  snapshot: Snapshot,
  channel: Channel,
): Found<{ readonly name: string }> {
  const { type } = query.resource;
  const http = type === 'service' || type === 'dataplane';
  const named = http ? [...methods, ...snapshot.named(keys.method)] : snapshot.named('action:name');
  const names = [...new Set(named)].sort(byText);
  const asked = pageOf(query, page);
  const candidates = names.slice(firstAfter(names, asked.after)).map((id) => ({ id, has: true }));
  return search(snapshot, channel, asked, candidates, (name) => ({
    result: { name },
    evaluation: { ...query, action: { name } },
  }));
}

interface Candidate {
  readonly id: string;
  /** Whether it is one at all: it has the properties that the search names. */
  readonly has: boolean;
}

/** One page: as many results as may be, and never more work than one request is worth. */
function search<T>(
  snapshot: Snapshot,
  channel: Channel,
  page: Page,
  candidates: Iterable<Candidate>,
  of: (id: string) => { readonly result: T; readonly evaluation: Evaluation },
): Found<T> {
  const results: T[] = [];
  let last = page.after;
  let looked = 0;
  let more = false;
  for (const { id, has } of candidates) {
    more = results.length >= page.limit || looked >= limits.searchCandidates;
    if (more) break;
    looked++;
    last = id;
    if (!has) continue;
    const { result, evaluation } = of(id);
    if (allows(evaluation, snapshot, channel)) results.push(result);
  }
  const whole = !more && page.after === undefined;
  return {
    page: {
      next_token: more ? tokenAfter(page, last ?? '') : '',
      count: results.length,
      ...(whole ? { total: results.length } : {}),
    },
    context: { snapshot: snapshot.name },
    results,
  };
}

function allows(evaluation: Evaluation, snapshot: Snapshot, channel: Channel): boolean {
  const question = mapped(evaluation, snapshot.inventory, channel);
  if ('evidence' in question)
    throw new Refused({
      status: 400,
      title: 'no search by evidence',
      detail: 'got evidence among the properties of the subject, want a subject that is named',
    });
  return decided(snapshot, question).decision === 'allow';
}
