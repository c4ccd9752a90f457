import { createHash } from 'node:crypto';
import { type Fields, fieldsIn } from '../../pdp/model/fields.ts';
import { messageOf } from '../../pdp/model/text.ts';
import { accept, type Checked, refuse } from '../evidence.ts';
import { checkEnd, defaultSkew, endOf } from '../jwt/claims.ts';
import { readToken } from '../jwt/jws.ts';
import type { ServiceAccount } from '../jwt/service-account.ts';
import { type LastUsed, lastUsed } from '../last-used.ts';
import { readAnswer } from './answers.ts';
import type { Api } from './client.ts';

export interface ReviewOptions {
  /** Who we are to those who make tokens: the server is asked for these. */
  readonly audiences: readonly string[];
  /** How long an answer counts: a pod that is gone takes its token along. Milliseconds. */
  readonly maxAge?: number;
  /** Answers that are kept, and questions that may be open at once; beyond these a token is refused unasked. */
  readonly mostKept?: number;
  readonly mostOpen?: number;
  /** Milliseconds that a question may take. */
  readonly timeout?: number;
}

const defaults = { maxAge: 10_000, mostKept: 10_000, mostOpen: 64, timeout: 5_000 } as const;

interface Kept {
  readonly account: ServiceAccount;
  /** By a clock that nobody sets. */
  readonly until: number;
}

/**
 * Verifies service account tokens by asking the API server, which knows of pods that are gone. Whatever keeps it from
 * answering refuses the token.
 */
export class TokenReviewer {
  readonly #api: Api;
  readonly #options: Required<ReviewOptions>;
  /** By a hash: no token stays in memory. */
  readonly #kept: LastUsed<Kept>;
  readonly #open = new Map<string, Promise<Checked<ServiceAccount>>>();

  constructor(api: Api, options: ReviewOptions) {
    this.#api = api;
    this.#options = { ...defaults, ...options };
    this.#kept = lastUsed(this.#options.mostKept);
  }

  async verify(token: string, now: number = Date.now()): Promise<Checked<ServiceAccount>> {
    const read = readToken(token);
    if (!read.ok) return read;
    const end = endOf(read.value.claims);
    if (!end.ok) return end;
    const left = checkEnd(end.value, defaultSkew, now);
    if (!left.ok) return left;
    const name = createHash('sha256').update(token).digest('base64');
    const kept = this.#kept.get(name);
    if (kept !== undefined && performance.now() < kept.until) return accept(kept.account);
    const open = this.#open.get(name);
    if (open !== undefined) return await open;
    if (this.#open.size >= this.#options.mostOpen)
      return refuse('unavailable', `got a token while ${this.#open.size} others wait for the API server`);
    const asked = this.#ask(token, end.value, now, name).finally(() => this.#open.delete(name));
    this.#open.set(name, asked);
    return await asked;
  }

  async #ask(token: string, end: number, now: number, name: string): Promise<Checked<ServiceAccount>> {
    const at = performance.now();
    const review = await this.#review(token);
    if (!review.ok) return review;
    const account = accountOf(review.value, this.#options.audiences, end);
    if (account.ok)
      this.#kept.set(name, { account: account.value, until: at + Math.min(this.#options.maxAge, end - now) });
    return account;
  }

  async #review(token: string): Promise<Checked<Fields>> {
    const { audiences, timeout } = this.#options;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences },
    };
    try {
      const signal = AbortSignal.timeout(timeout);
      const response = await this.#api.send(path, { method: 'POST', body, signal, timeout });
      return accept(fieldsIn(fieldsIn(await readAnswer(response))['status']));
    } catch (error) {
      const why = messageOf(error);
      return refuse('unavailable', `the API server was asked for a token and did not review it: ${why}`);
    }
  }
}

const path = '/apis/authentication.k8s.io/v1/tokenreviews';

const mostWords = 200;

function accountOf(
  { authenticated, audiences, user, error }: Fields,
  wanted: readonly string[],
  validUntil: number,
): Checked<ServiceAccount> {
  if (authenticated !== true) {
    const why = typeof error === 'string' && error !== '' ? `: ${error.slice(0, mostWords)}` : '';
    return refuse('unauthenticated', `got a token that the API server does not authenticate${why}`);
  }
  // A server that does not know of audiences says none, and means its own (TokenReview, status.audiences).
  if (!Array.isArray(audiences) || !audiences.some((one) => wanted.includes(one as string)))
    return refuse(
      'audience',
      `got a token for another audience, want ${wanted.map((one) => JSON.stringify(one)).join(' or ')}`,
    );
  const { username, extra } = fieldsIn(user);
  const [, namespace, name] =
    /^system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})$/.exec(String(username)) ?? [];
  if (namespace === undefined || name === undefined)
    return refuse('claim', 'got a token of somebody who is no service account');
  const said = fieldsIn(extra);
  const podName = onlyOf(said['authentication.kubernetes.io/pod-name']);
  const podUid = onlyOf(said['authentication.kubernetes.io/pod-uid']);
  if (podName === undefined && podUid === undefined) return accept({ namespace, name, validUntil });
  if (podName === undefined || podUid === undefined)
    return refuse('claim', 'got a token whose pod the API server names by half, want its name and UID');
  return accept({ namespace, name, pod: { name: podName, uid: podUid }, validUntil });
}

function onlyOf(value: unknown): string | undefined {
  const [only, second] = Array.isArray(value) ? (value as unknown[]) : [];
  return typeof only === 'string' && second === undefined ? only : undefined;
}
