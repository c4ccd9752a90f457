import type { Flaw } from './types.ts';

/** That there is no answer. Whoever guards something denies then. */
export class NoAnswer extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NoAnswer';
  }
}

/** That the service answers with a problem (RFC 9457): what was asked was no question, or not for this caller. */
export class Problem extends NoAnswer {
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  /** What is wrong, field by field. */
  readonly violations: readonly Flaw[];
  /** Seconds after which it may be otherwise. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown, retryAfter: string | null) {
    const { title, detail, violations } = (
      typeof body === 'object' && body !== null ? body : {}
    ) as Partial<Problem>;
    const name = typeof title === 'string' ? title : `status ${status}`;
    const said = Array.isArray(violations)
      ? violations.map(({ field, message }: Flaw) => `${field}: ${message}`).join('; ')
      : detail;
    super(said === undefined ? name : `${name}: ${said}`);
    this.name = 'Problem';
    this.status = status;
    this.title = name;
    this.detail = detail;
    this.violations = Array.isArray(violations) ? violations : [];
    const seconds = Number(retryAfter ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  }
}
