import { GrpcError, status } from '../grpc/status.ts';
import type { Response } from './encode.ts';
import { mostNames, type Said } from './request.ts';
import type { Catalogue, Node, Resource } from './resource.ts';

/** How it stands with a node. */
export interface NodeStatus {
  readonly id: string;
  readonly cluster: string;
  /** By name: the versions that the node has said it uses. */
  readonly uses: ReadonlyMap<string, string>;
  /** By name: what it was sent, and has not answered yet. */
  readonly waiting: ReadonlyMap<string, string>;
  /** What it refused last, in its own words, until it takes something again. */
  readonly refused?: { readonly at: number; readonly names: readonly string[]; readonly words: string };
}

export interface Subscribed {
  send(response: Response): void;
  refused(node: Node, names: readonly string[], words: string): void;
  /** What a node wants could not be made; it keeps what it has until something changes. */
  failed(node: Node, error: unknown): void;
}

/**
 * What one node wants, has, and has been sent. There is never more than one response that it has not answered: what
 * changes meanwhile is put together, so that a slow node costs as much as a fast one.
 */
export class Subscription {
  readonly #catalogue: Catalogue;
  readonly #node: Node;
  readonly #out: Subscribed;
  readonly #wanted = new Set<string>();
  readonly #uses = new Map<string, string>();
  #waiting = new Map<string, string>();
  #refused: NodeStatus['refused'];
  /** Versions that were refused are not sent again. */
  readonly #refusedVersions = new Map<string, string>();
  #nonce = 0;
  #answered = true;
  #rendering = false;
  #again = false;
  #over = false;

  constructor(catalogue: Catalogue, node: Node, out: Subscribed) {
    this.#catalogue = catalogue;
    this.#node = node;
    this.#out = out;
  }

  get status(): NodeStatus {
    const { id, cluster } = this.#node;
    return {
      id,
      cluster,
      uses: this.#uses,
      waiting: this.#waiting,
      ...(this.#refused === undefined ? {} : { refused: this.#refused }),
    };
  }

  hear({ nonce, error, names, known }: Said): void {
    for (const [name, version] of known) this.#uses.set(name, version);
    if (nonce !== '') this.#answer(nonce, error);
    // What was said of an older response is overtaken; but wishes in the delta form are said once.
    if ('more' in names || nonce === '' || nonce === String(this.#nonce)) this.#want(names);
    // In the delta form each request adds to those before.
    const most = Math.max(this.#wanted.size, this.#uses.size);
    if (most > mostNames)
      throw new GrpcError(status.invalidArgument, `got ${most} names in all, want at most ${mostNames}`);
    this.changed();
  }

  #answer(nonce: string, error: string | undefined): void {
    if (nonce !== String(this.#nonce) || this.#answered) return;
    this.#answered = true;
    const names = [...this.#waiting.keys()];
    if (error === undefined) {
      for (const [name, version] of this.#waiting) this.#uses.set(name, version);
      this.#refused = undefined;
    } else {
      for (const [name, version] of this.#waiting) this.#refusedVersions.set(name, version);
      this.#refused = { at: Date.now(), names, words: error };
      this.#out.refused(this.#node, names, error);
    }
    this.#waiting = new Map();
  }

  #want(names: Said['names']): void {
    if ('all' in names) {
      const all = new Set(names.all);
      for (const name of this.#wanted) if (!all.has(name)) this.#forget(name);
      for (const name of all) this.#wanted.add(name);
    } else {
      for (const name of names.less) this.#forget(name);
      for (const name of names.more) this.#wanted.add(name);
    }
  }

  #forget(name: string): void {
    this.#wanted.delete(name);
    this.#uses.delete(name);
    this.#refusedVersions.delete(name);
  }

  /** Something may be otherwise: what the node lacks is sent as soon as it can take it. */
  changed(): void {
    this.#again = true;
    void this.#send();
  }

  end(): void {
    this.#over = true;
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
        this.#respond(rendered.filter((resource) => this.#lacks(resource)));
      }
    } catch (error) {
      this.#out.failed(this.#node, error);
    } finally {
      this.#rendering = false;
    }
  }

  #lacks({ name, version }: Resource): boolean {
    return (
      this.#wanted.has(name) &&
      this.#uses.get(name) !== version &&
      this.#refusedVersions.get(name) !== version
    );
  }

  #respond(resources: readonly Resource[]): void {
    if (resources.length === 0) return;
    this.#nonce++;
    this.#answered = false;
    this.#waiting = new Map(resources.map(({ name, version }) => [name, version]));
    const version = resources.map((one) => one.version).join('+');
    this.#out.send({ version, nonce: String(this.#nonce), resources });
  }
}
