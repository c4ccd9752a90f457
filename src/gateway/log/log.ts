import type { Decided } from '../service.ts';
import { lineOf } from './line.ts';
import { hider, type Masking, teller } from './mask.ts';
import type { Outlet } from './outlet.ts';
import { Sampler, type Sampling } from './sample.ts';

/** What was decided, written down: enough of it to be decided again. */
export class DecisionLog {
  written = 0;
  readonly #outlet: Outlet;
  readonly #sampler: Sampler;
  readonly #tell: ReturnType<typeof teller>;
  /** An address, and an ID in a header, could be found by trying what has the same digest. */
  readonly #hide: ((value: string) => string) | undefined;

  constructor(outlet: Outlet, sampling: Sampling, masking: Masking) {
    this.#outlet = outlet;
    this.#sampler = new Sampler(sampling);
    this.#tell = teller(masking);
    this.#hide = masking.keys.length === 0 ? undefined : hider(masking.salt);
  }

  decided(event: Decided, now: number = Date.now()): void {
    if (!this.#sampler.takes(event.decision, now)) return;
    this.written++;
    const digest = event.evidence?.();
    const told = digest === undefined || this.#hide === undefined ? digest : this.#hide(digest);
    this.#outlet.write(lineOf(event, told, this.#tell(event.request), now));
  }

  /** Lines that were to be written and were not: too many a second, or nowhere to put them. */
  get dropped(): number {
    return this.#outlet.dropped + this.#sampler.limited;
  }

  get problem(): string | undefined {
    return this.#outlet.problem;
  }

  close(milliseconds: number): Promise<void> {
    return this.#outlet.close(milliseconds);
  }
}
