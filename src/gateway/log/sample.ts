import type { Decision } from '../../pdp/model/decision.ts';

export interface Sampling {
  /** Share of allows that is written down, 0 to 1; where the shadow says otherwise all are. */
  readonly allows: number;
  readonly denies: number;
  /** Lines a second at most: whoever provokes denies must not fill a disk. */
  readonly perSecond: number;
}

/** Takes exactly the share that is asked for, evenly, without chance. */
export class Sampler {
  /** Decisions that the rate kept from being written. */
  limited = 0;
  readonly #sampling: Sampling;
  #allows = 0;
  #denies = 0;
  #second = 0;
  #written = 0;

  constructor(sampling: Sampling) {
    this.#sampling = sampling;
  }

  takes({ decision, shadow }: Decision, now: number): boolean {
    return (decision === shadow ? this.#share(decision === 'allow') : true) && this.#inRate(now);
  }

  #share(allow: boolean): boolean {
    const { allows, denies } = this.#sampling;
    const reached = allow ? this.#allows + allows : this.#denies + denies;
    const takes = reached >= 1;
    if (allow) this.#allows = takes ? reached - 1 : reached;
    else this.#denies = takes ? reached - 1 : reached;
    return takes;
  }

  #inRate(now: number): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#written = 0;
    }
    if (this.#written >= this.#sampling.perSecond) {
      this.limited++;
      return false;
    }
    this.#written++;
    return true;
  }
}
