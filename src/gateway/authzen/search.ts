import { setImmediate } from 'node:timers/promises';
import { limits } from '../../pdp/model/limits.ts';
import type { Channel } from '../../pdp/model/request.ts';
import { keys } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { longestPiece } from '../decide/batch.ts';
import { Refused } from '../http/problem.ts';
import type { Snapshot } from '../service.ts';
import { decided, joined, type Mapped, subjectFor } from './ask.ts';
import { type Page, pageOf, tokenAfter } from './page.ts';
import { resourceOf, resourcesFor, resourcesOf } from './resource.ts';
import { firstAfter, subjectsOf } from './subject.ts';
import type { ActionSearch, Found, ResourceSearch, SubjectSearch } from './types.ts';

interface Named {
  readonly type: string;
  readonly id: string;
}

/** What is searched in, and as whom. */
export interface Asking {
  readonly snapshot: Snapshot;
  readonly channel: Channel;
  /** A clock that nobody sets. */
  readonly now?: () => number;
}

/** A result is what an evaluation by the same caller allows (SPEC AZ30). */
export function searchSubjects({ page, ...query }: SubjectSearch, asking: Asking): Promise<Found<Named>> {
  const { inventory } = asking.snapshot;
  const { channel } = asking;
  const { type } = query.subject;
  const asked = pageOf(query, page);
  const resource = resourceOf(query, inventory);
  return search(asking, asked, subjectsOf(query.subject, inventory, asked.after), (id) => ({
    result: { type, id },
    question: joined(subjectFor({ type, id }, inventory, channel), resource, channel),
  }));
}

export function searchResources({ page, ...query }: ResourceSearch, asking: Asking): Promise<Found<Named>> {
  const { inventory } = asking.snapshot;
  const { channel } = asking;
  const { type } = query.resource;
  const asked = pageOf(query, page);
  const subject = subjectFor(query.subject, inventory, channel);
  const resource = resourcesFor(query, inventory);
  return search(asking, asked, resourcesOf(query.resource, inventory, asked.after), (id) => ({
    result: { type, id },
    question: joined(subject, resource(id, query.action.name), channel),
  }));
}

/** What HTTP knows to do, beside what policies speak of. */
const methods = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'];

export function searchActions(
  { page, ...query }: ActionSearch,
  asking: Asking,
): Promise<Found<{ readonly name: string }>> {
  const { snapshot, channel } = asking;
  const { type, id } = query.resource;
  const http = type === 'service' || type === 'dataplane';
  const named = http ? [...methods, ...snapshot.named(keys.method)] : snapshot.named('action:name');
  const names = [...new Set(named)].sort(byText);
  const asked = pageOf(query, page);
  const subject = subjectFor(query.subject, snapshot.inventory, channel);
  const resource = resourcesFor(query, snapshot.inventory);
  const candidates = names.slice(firstAfter(names, asked.after)).map((name) => ({ id: name, has: true }));
  return search(asking, asked, candidates, (name) => ({
    result: { name },
    question: joined(subject, resource(id, name), channel),
  }));
}

interface Candidate {
  readonly id: string;
  /** Whether it is one at all: it has the properties that the search names. */
  readonly has: boolean;
}

/**
 * One page: as many results as may be, and never more work than one request is worth. What takes long lets others have
 * their turn.
 */
async function search<T>(
  { snapshot, now = () => performance.now() }: Asking,
  page: Page,
  candidates: Iterable<Candidate>,
  of: (id: string) => { readonly result: T; readonly question: Mapped },
): Promise<Found<T>> {
  const results: T[] = [];
  let last = page.after;
  let looked = 0;
  let more = false;
  let until = now() + longestPiece;
  for (const { id, has } of candidates) {
    more = results.length >= page.limit || looked >= limits.searchCandidates;
    if (more) break;
    if (now() >= until) {
      await setImmediate();
      until = now() + longestPiece;
    }
    looked++;
    last = id;
    if (!has) continue;
    const { result, question } = of(id);
    if (allows(question, snapshot)) results.push(result);
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

function allows(question: Mapped, snapshot: Snapshot): boolean {
  if ('evidence' in question)
    throw new Refused({
      status: 400,
      title: 'no search by evidence',
      detail: 'got evidence among the properties of the subject, want a subject that is named',
    });
  return decided(snapshot, question).decision === 'allow';
}
