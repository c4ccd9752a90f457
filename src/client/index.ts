import type {
  Action,
  ActionSearch,
  Entity,
  Evaluation,
  Evaluations,
  Found,
  ResourceSearch,
  SubjectSearch,
  Verdict,
} from '../gateway/authzen/types.ts';
import { NoAnswer, Problem } from './errors.ts';
import { Leases } from './leases.ts';
import type { Fetch, Question, Reply } from './types.ts';

export type {
  Action,
  ActionSearch,
  Entity,
  Evaluation,
  Evaluations,
  Found,
  ResourceSearch,
  SubjectSearch,
  Verdict,
  Verdicts,
} from '../gateway/authzen/types.ts';
export { NoAnswer, Problem } from './errors.ts';
export type { Fetch, Flaw, Question, Reply } from './types.ts';

export interface Options {
  /** Where the service is: `https://pdp.example:8420`. */
  readonly url: string;
  /** A bearer token, or what gives one for each request. Where the service wants a certificate, `fetch` has it. */
  readonly token?: string | (() => string | Promise<string>);
  /** Milliseconds until there is no answer; 2,000 if it is not said. */
  readonly timeout?: number;
  /** How many decisions are kept for as long as they may be used again; none if it is not said. */
  readonly keep?: number;
  /** In place of the one that is everywhere: for certificates, proxies, tests. */
  readonly fetch?: Fetch;
  /** Told why `allowed` and `permitted` say no where there is no answer. */
  readonly onError?: (error: unknown) => void;
}

export interface Client {
  /** Throws `Problem`, or `NoAnswer`; a denial is an answer. */
  decide(question: Question): Promise<Reply>;
  /** In the order of the questions, each with the defaults; the service says how many there may be. */
  decideBatch(
    questions: readonly Partial<Question>[],
    defaults?: Partial<Question>,
  ): Promise<readonly Reply[]>;
  /** With what every rule saw; takes the role `explain`. */
  explain(question: Question): Promise<Reply>;
  /** Whether it is allowed. Without an answer it is not. */
  allowed(question: Question): Promise<boolean>;

  evaluate(evaluation: Evaluation): Promise<Verdict>;
  evaluateAll(evaluations: Evaluations): Promise<readonly Verdict[]>;
  /** Whether it is permitted. Without an answer it is not. */
  permitted(evaluation: Evaluation): Promise<boolean>;
  /** One page; searches take the role `explain`. */
  searchSubjects(search: SubjectSearch): Promise<Found<Entity>>;
  searchResources(search: ResourceSearch): Promise<Found<Entity>>;
  searchActions(search: ActionSearch): Promise<Found<Action>>;
}

/** Throws where `url` is none. */
export function connect(options: Options): Client {
  const { keep = 0, onError } = options;
  const post = poster(options);
  const leases = new Leases(keep, () => performance.now());

  const decide = async (question: Question): Promise<Reply> => {
    const text = JSON.stringify(question);
    const kept = leases.get(text);
    if (kept !== undefined) return kept;
    const asked = leases.now();
    const reply = replyIn(await post('/decide', text));
    leases.keep(text, reply, asked);
    return reply;
  };
  const evaluate = async (evaluation: Evaluation) =>
    verdictIn(await post('/access/v1/evaluation', JSON.stringify(evaluation)));
  const closed = async (ask: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await ask();
    } catch (error) {
      onError?.(error);
      return false;
    }
  };
  const search = async <T>(what: string, query: object): Promise<Found<T>> =>
    foundIn<T>(await post(`/access/v1/search/${what}`, JSON.stringify(query)));

  return {
    decide,
    async decideBatch(requests, defaults) {
      const body = JSON.stringify({ ...(defaults === undefined ? {} : { defaults }), requests });
      return listIn(await post('/decide/batch', body), 'decisions', requests.length).map(replyIn);
    },
    explain: async (question) =>
      replyIn(await post('/decide', JSON.stringify({ ...question, explain: true }))),
    allowed: (question) => closed(async () => (await decide(question)).decision === 'allow'),
    evaluate,
    async evaluateAll(evaluations) {
      const body = await post('/access/v1/evaluations', JSON.stringify(evaluations));
      if ((evaluations.evaluations ?? []).length === 0) return [verdictIn(body)];
      return listIn(body, 'evaluations').map(verdictIn);
    },
    permitted: (evaluation) => closed(async () => (await evaluate(evaluation)).decision === true),
    searchSubjects: (query) => search('subject', query),
    searchResources: (query) => search('resource', query),
    searchActions: (query) => search('action', query),
  };
}

/** Refused at once: a service that nobody can ask would be a no for ever, and nothing would say why. */
function baseOf(url: string): string {
  const { protocol = '', search = '', hash = '' } = URL.canParse(url) ? new URL(url) : {};
  const isAddress = ['http:', 'https:'].includes(protocol) && search === '' && hash === '';
  if (isAddress) return url.replace(/\/+$/, '');
  throw new TypeError(
    `url: got ${JSON.stringify(url)}, want where the service is, as in "https://pdp.example:8420"`,
  );
}

/** `fetch` says that it failed, and its cause why; of several addresses each has a message, and their cause has none. */
function reasonOf(error: unknown): string {
  const { message = String(error), cause } = (error ?? {}) as Partial<Error>;
  if (typeof cause !== 'object' || cause === null) return message;
  const { message: why = '', code = '' } = cause as Partial<Error> & { readonly code?: string };
  const reason = why === '' ? code : why;
  return reason === '' ? message : `${message}: ${reason}`;
}

type Post = (path: string, body: string) => Promise<unknown>;

function poster({ url, token, timeout = 2_000, fetch: given }: Options): Post {
  const base = baseOf(url);
  const ask = given ?? (fetch as Fetch);
  return async (path, body) => {
    const call = async (signal: AbortSignal) => {
      const bearer = typeof token === 'function' ? await token() : token;
      const response = await ask(base + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
        body,
        // Whoever answers in the service's place must not send us, and the token, elsewhere.
        redirect: 'error',
        signal,
      });
      return { response, text: await response.text() };
    };
    const { response, text } = await within(timeout, call, base);
    const { status, headers } = response;
    const value = parsed(text);
    if (status !== 200) throw new Problem(status, value, headers.get('retry-after'));
    return value;
  };
}

/** Also for a `fetch` that knows no signals: the time is over for whoever waits, whatever it does. */
async function within<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
  url: string,
): Promise<T> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new NoAnswer(`${url} did not answer in ${milliseconds} ms`));
      abort.abort();
    }, milliseconds);
  });
  try {
    return await Promise.race([work(abort.signal), late]);
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    throw new NoAnswer(`${url} cannot be asked: ${reasonOf(error)}`, error);
  } finally {
    clearTimeout(timer);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function replyIn(value: unknown): Reply {
  const { decision } = (value ?? {}) as Partial<Reply>;
  if (decision === 'allow' || decision === 'deny') return value as Reply;
  throw new NoAnswer('got a reply without a decision');
}

function verdictIn(value: unknown): Verdict {
  const { decision } = (value ?? {}) as Partial<Verdict>;
  if (typeof decision === 'boolean') return value as Verdict;
  throw new NoAnswer('got a reply without a decision');
}

function listIn(value: unknown, field: string, length?: number): readonly unknown[] {
  const list = ((value ?? {}) as Readonly<Record<string, unknown>>)[field];
  if (Array.isArray(list) && (length === undefined || list.length === length)) return list;
  throw new NoAnswer(`got a reply without ${length ?? 'its'} ${field}`);
}

function foundIn<T>(value: unknown): Found<T> {
  listIn(value, 'results');
  return value as Found<T>;
}
