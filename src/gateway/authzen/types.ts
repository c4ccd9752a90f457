/** Authorization API 1.0 §5 to §8: what callers send and get. Fields that are not here are ignored. */

export type Properties = Readonly<Record<string, unknown>>;

export interface Entity {
  readonly type: string;
  readonly id: string;
  readonly properties?: Properties | undefined;
}

/** What a search looks for: the type alone; an ID is ignored. */
export type Sought = Omit<Entity, 'id'>;

export interface Action {
  readonly name: string;
  readonly properties?: Properties | undefined;
}

export interface Evaluation {
  readonly subject: Entity;
  readonly action: Action;
  readonly resource: Entity;
  readonly context?: Properties | undefined;
}

export const semantics = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
export type Semantic = (typeof semantics)[number];

export interface Evaluations extends Partial<Evaluation> {
  /** What an item does not give is that of the whole; an item replaces an object whole. One may be anything. */
  readonly evaluations?: readonly unknown[];
  readonly options?: { readonly evaluations_semantic?: Semantic };
}

export interface Verdict {
  readonly decision: boolean;
  readonly context?: Properties;
}

export interface Verdicts {
  readonly evaluations: readonly Verdict[];
}

export interface PageRequest {
  /** The `next_token` of the page before. */
  readonly token?: string | undefined;
  readonly limit?: number | undefined;
}

interface Searched {
  readonly context?: Properties | undefined;
  readonly page?: PageRequest | undefined;
}

export interface SubjectSearch extends Searched {
  readonly subject: Sought;
  readonly action: Action;
  readonly resource: Entity;
}

export interface ResourceSearch extends Searched {
  readonly subject: Entity;
  readonly action: Action;
  readonly resource: Sought;
}

export interface ActionSearch extends Searched {
  readonly subject: Entity;
  readonly resource: Entity;
}

export interface Found<T> {
  readonly page: {
    /** Empty: this was the last page. */
    readonly next_token: string;
    readonly count: number;
    /** Of all pages, where one page held all. */
    readonly total?: number;
  };
  readonly context: { readonly snapshot: string };
  readonly results: readonly T[];
}
