import type { Budget } from '../grpc/budget.ts';
import { GrpcError, status } from '../grpc/status.ts';
import type { Response } from './encode.ts';
import type { ProxyName } from './names.ts';
import { mostNames, type Said } from './request.ts';
import type { Catalogue, Node, Resource } from './resource.ts';
import type { Form, NodeState, NodeStatus, Refusal, ResourceStatus, Version } from './status.ts';

export interface Subscribed {
  send(response: Response): void;
  refused(node: Node, names: readonly string[], words: string): void;
  /** What a node wants could not be made; it keeps what it has until something changes. */
  failed(node: Node, error: unknown): void;
}

/** How it stands with one name. */
interface Standing {
  sent?: Version;
  taken?: Version;
  /** The version that was refused last, which is not sent again. */
  refused?: string;
  denies?: string | undefined;
  outdated?: string | undefined;
}

/** What a name costs besides its letters. */
const perName = 128;

let count = 0;

/**
 * What one node wants, has, and has been sent. There is never more than one response that it has not answered: what
 * changes meanwhile is put together, so that a slow node costs as much as a fast one.
 */
export class Subscription implements NodeStatus {
  readonly number = ++count;
  readonly connected = Date.now();
  readonly form: Form;
  readonly id: string;
  readonly cluster: string;
  readonly proxy: ProxyName | undefined;
  readonly #catalogue: Catalogue;
  readonly #node: Node;
  readonly #names: Budget;
  readonly #out: Subscribed;
  readonly #wanted = new Set<string>();
  /** Of what was sent, and of what the node came with. */
  readonly #standings = new Map<string, Standing>();
  /** By name: versions that it was sent and has not answered. */
  #waiting = new Map<string, string>();
  /** By name: versions that it refused with others, which are sent alone before they count as refused. */
  readonly #suspects = new Map<string, string>();
  /** Names that are none of ours; in the delta form it was told. */
  readonly #foreign = new Set<string>();
  /** Names of which it refuses what it is to have. */
  readonly #refusing = new Set<string>();
  #lastRefusal: Refusal | undefined;
  /** Of the budget for names. */
  #held = 0;
  #nonce = 0;
  #answered = true;
  #rendering = false;
  #again = false;
  #over = false;

  /** `names`: what names may cost that nodes choose. */
  constructor(catalogue: Catalogue, node: Node, form: Form, names: Budget, out: Subscribed) {
    this.#catalogue = catalogue;
    this.#node = node;
    this.#names = names;
    this.#out = out;
    this.form = form;
    this.id = node.id;
    this.cluster = node.cluster;
    this.proxy = node.proxy;
  }

  get state(): NodeState {
    if (this.#refusing.size > 0) return 'refused';
    if (this.#waiting.size + this.#suspects.size > 0) return 'waiting';
    const standings = this.#own.map((name) => this.#standings.get(name));
    if (standings.some((one) => one?.taken === undefined)) return 'waiting';
    return standings.some((one) => one?.outdated !== undefined) ? 'outdated' : 'current';
  }

  get resources(): readonly ResourceStatus[] {
    return this.#own.map((name) => {
      const { sent, taken, denies, outdated } = this.#standings.get(name) ?? {};
      return {
        name,
        ...(sent === undefined ? {} : { sent }),
        ...(taken === undefined ? {} : { taken }),
        refused: this.#refusing.has(name),
        ...(denies === undefined ? {} : { denies }),
        ...(outdated === undefined ? {} : { outdated }),
      };
    });
  }

  get #own(): readonly string[] {
    return [...this.#wanted].filter((name) => !this.#foreign.has(name));
  }

  get lastRefusal(): Refusal | undefined {
    return this.#lastRefusal;
  }

  hear({ nonce, error, names, known }: Said): void {
    const at = Date.now();
    for (const [name, version] of known) this.#standing(name).taken = { version, at };
    if (nonce !== '') this.#answer(nonce, error, at);
    // What was said of an older response is overtaken; but wishes in the delta form are said once.
    const current = 'more' in names || nonce === '' || nonce === String(this.#nonce);
    if ((current && this.#want(names)) || known.size > 0) this.#again = true;
    // In the delta form each request adds to those before.
    const most = Math.max(this.#wanted.size, this.#standings.size);
    if (most > mostNames)
      throw new GrpcError(status.invalidArgument, `got ${most} names in all, want at most ${mostNames}`);
    this.#hold();
    void this.#send();
  }

  #hold(): void {
    let cost = 0;
    for (const name of this.#wanted) cost += perName + name.length;
    for (const name of this.#standings.keys()) if (!this.#wanted.has(name)) cost += perName + name.length;
    if (!this.#names.take(cost - this.#held))
      throw new GrpcError(status.resourceExhausted, 'too many names, or too long ones, are wanted at once');
    this.#held = cost;
  }

  #standing(name: string): Standing {
    const known = this.#standings.get(name);
    if (known !== undefined) return known;
    const standing: Standing = {};
    this.#standings.set(name, standing);
    return standing;
  }

  #answer(nonce: string, error: string | undefined, at: number): void {
    if (nonce !== String(this.#nonce) || this.#answered) return;
    this.#answered = true;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [name, version] of waiting) {
      const standing = this.#standings.get(name);
      // Not wanted any more, or anew, so that it comes again.
      if (standing?.sent?.version !== version) continue;
      this.#suspects.delete(name);
      if (error === undefined) {
        standing.taken = { version, at };
        this.#refusing.delete(name);
      } else if (waiting.size > 1) {
        // Envoy uses none of those that come behind the one that it cannot use.
        this.#suspects.set(name, version);
        this.#again = true;
      } else {
        standing.refused = version;
        this.#refusing.add(name);
      }
    }
    if (error === undefined) return;
    const resources = [...waiting].map(([name, version]) => ({ name, version }));
    this.#lastRefusal = { at, words: error, resources };
    this.#out.refused(this.#node, [...waiting.keys()], error);
  }

  /** Whether that asks for anything else than before. */
  #want(names: Said['names']): boolean {
    if ('all' in names) {
      const all = new Set(names.all);
      const less = [...this.#wanted].filter((name) => !all.has(name));
      const more = [...all].filter((name) => !this.#wanted.has(name));
      for (const name of less) this.#forget(name);
      for (const name of more) this.#wanted.add(name);
      return less.length + more.length > 0;
    }
    for (const name of names.less) this.#forget(name);
    for (const name of names.more) this.#wanted.add(name);
    return names.less.length + names.more.length > 0;
  }

  #forget(name: string): void {
    this.#wanted.delete(name);
    this.#standings.delete(name);
    this.#refusing.delete(name);
    this.#suspects.delete(name);
    this.#foreign.delete(name);
  }

  /** Something may be otherwise: what the node lacks is sent as soon as it can take it. */
  changed(): void {
    this.#again = true;
    void this.#send();
  }

  end(): void {
    this.#over = true;
    this.#names.give(this.#held);
    this.#held = 0;
    this.#catalogue.left?.(this.#node);
  }

  async #send(): Promise<void> {
    if (this.#rendering) return;
    this.#rendering = true;
    try {
      while (this.#again && this.#answered && !this.#over && this.#wanted.size > 0) {
        this.#again = false;
        const wanted = [...this.#wanted];
        const rendered = await this.#catalogue.render(this.#node, wanted);
        if (this.#over) return;
        const lacking = rendered.filter((resource) => this.#lacks(resource));
        this.#respond(lacking, this.#absent(wanted, rendered));
      }
    } catch (error) {
      // Made again as soon as the node says anything.
      this.#again = true;
      this.#out.failed(this.#node, error);
    } finally {
      this.#rendering = false;
    }
  }

  #lacks({ name, version, denies, outdated }: Resource): boolean {
    if (!this.#wanted.has(name)) return false;
    const standing = this.#standing(name);
    // What it has of policies from before goes on, also where nobody here remembers which they were.
    const keeps =
      outdated !== undefined &&
      denies !== undefined &&
      standing.denies === undefined &&
      standing.taken !== undefined;
    standing.denies = keeps ? undefined : denies;
    standing.outdated = outdated;
    if (keeps || standing.taken?.version === version) {
      this.#suspects.delete(name);
      this.#refusing.delete(name);
      return false;
    }
    if (this.#suspects.get(name) !== version) this.#suspects.delete(name);
    if (standing.refused !== version) return true;
    this.#refusing.add(name);
    return false;
  }

  /** Names of others, of which it has not heard yet that they are not here; only in the delta form is it said. */
  #absent(wanted: readonly string[], rendered: readonly Resource[]): readonly string[] {
    const own = new Set(rendered.map(({ name }) => name));
    const absent: string[] = [];
    for (const name of wanted) {
      if (own.has(name) || !this.#wanted.has(name)) continue;
      if (!this.#foreign.has(name) && this.form === 'delta') absent.push(name);
      this.#foreign.add(name);
    }
    return absent;
  }

  #respond(lacking: readonly Resource[], removed: readonly string[]): void {
    if (lacking.length + removed.length === 0) return;
    const sound = lacking.filter(({ name, version }) => this.#suspects.get(name) !== version);
    const resources = sound.length > 0 ? sound : lacking.slice(0, 1);
    if (resources.length < lacking.length) this.#again = true;
    this.#nonce++;
    this.#answered = false;
    const at = Date.now();
    this.#waiting = new Map(resources.map(({ name, version }) => [name, version]));
    for (const { name, version } of resources) this.#standing(name).sent = { version, at };
    const version = resources.map((one) => one.version).join('+');
    this.#out.send({ version, nonce: String(this.#nonce), resources, removed });
  }
}
