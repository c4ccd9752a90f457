import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type Metric,
  Registry,
} from 'prom-client';
import type { Decided, Live, Page, Reloaded } from '../service.ts';
import { Durations } from './durations.ts';
import { type Count, Reasons, Tally } from './tally.ts';

/** Seconds; a decision takes microseconds, evidence with signatures up to some milliseconds. */
const buckets = [2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 5e-2, 0.25, 1];

/** Counters of parts that count for themselves, read when somebody asks. */
export interface Counted {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** How many there are now of something; of all workers, the sum. */
export interface Measured {
  readonly name: string;
  readonly help: string;
  /** With a label, one number for each of its values. */
  readonly label?: string;
  readonly read: () => number | Readonly<Record<string, number>>;
}

/**
 * What Prometheus is told. Decisions are counted in plain fields and become text when they are asked for, since that
 * is a thousand times rarer.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #tally = new Tally();
  readonly #reasons = new Reasons();
  readonly #seconds: Durations;
  #shed = 0;
  #failed = 0;
  readonly #reloads = new Map<Reloaded['outcome'], number>();

  constructor(live: Live, counted: readonly Counted[] = []) {
    const { registry } = this;
    collectDefaultMetrics({ register: registry });
    this.#seconds = new Durations(
      'placet_decision_seconds',
      'Time from a request being understood to its decision, evidence included.',
      buckets,
    );
    registry.registerMetric(this.#seconds as unknown as Metric);
    this.#tallied(
      'placet_decisions_total',
      'Decisions, by what they say, what they would say with every shadow effect in force, and why.',
      'reason',
      () => this.#reasons.all(),
    );
    this.#tallied('placet_policy_decisions_total', 'Decisions by the policy that made them.', 'policy', () =>
      this.#tally.decided(),
    );
    this.#tallied(
      'placet_policy_shadow_decisions_total',
      'Decisions by the policy that would have made them with every shadow effect in force.',
      'policy',
      () => this.#tally.wouldHave(),
    );
    this.#live(live);
    this.#reloaded();
    const own: Counted[] = [
      {
        name: 'placet_shed',
        help: 'Requests turned away because there were too many.',
        read: () => this.#shed,
      },
      {
        name: 'placet_failed',
        help: 'Errors of the service itself; whoever asked got a 500.',
        read: () => this.#failed,
      },
    ];
    for (const one of [...counted, ...own]) this.count(one);
  }

  decided({ decision, milliseconds }: Decided): void {
    this.#reasons.add(decision);
    this.#tally.add(decision);
    this.#seconds.add(milliseconds / 1_000);
  }

  shed(): void {
    this.#shed++;
  }

  failed(): void {
    this.#failed++;
  }

  reloaded(outcome: Reloaded['outcome']): void {
    this.#reloads.set(outcome, (this.#reloads.get(outcome) ?? 0) + 1);
  }

  /** As another process can add it to its own. */
  json(): Promise<object> {
    return this.registry.getMetricsAsJSON();
  }

  /** Of several processes as of one. */
  static async page(all: readonly object[]): Promise<Page> {
    const registry = AggregatorRegistry.aggregate([...all]);
    return { type: registry.contentType, text: await registry.metrics() };
  }

  #tallied(name: string, help: string, label: 'policy' | 'reason', all: () => Iterable<Count>): void {
    new Counter({
      name,
      help,
      labelNames: [label, 'decision', 'shadow'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { name, decision, shadow, count } of all())
          this.inc({ decision, shadow, [label]: name }, count);
      },
    });
  }

  #live(live: Live): void {
    const registers = [this.registry];
    new Gauge({
      name: 'placet_snapshot_age_seconds',
      help: 'Time since the policies that decide took over.',
      aggregator: 'max',
      labelNames: ['snapshot'],
      registers,
      collect() {
        this.reset();
        const current = live.current();
        if (current !== undefined) this.set({ snapshot: current.name }, (Date.now() - current.since) / 1_000);
      },
    });
    new Gauge({
      name: 'placet_ready',
      help: '1 if every source has been read and is fresh.',
      aggregator: 'min',
      registers,
      collect() {
        this.set(live.readiness().ready ? 1 : 0);
      },
    });
    new Gauge({
      name: 'placet_source_age_seconds',
      help: 'Time since what a source says was last known to be so.',
      aggregator: 'max',
      labelNames: ['source'],
      registers,
      collect() {
        this.reset();
        for (const { name, age } of live.readiness().sources)
          if (age !== undefined) this.set({ source: name }, age / 1_000);
      },
    });
    new Gauge({
      name: 'placet_source_problems',
      help: 'What is wrong with a source as a whole now; what it last said right goes on.',
      aggregator: 'max',
      labelNames: ['source'],
      registers,
      collect() {
        this.reset();
        for (const { name, problems } of live.readiness().sources)
          this.set({ source: name }, problems.length);
      },
    });
    new Gauge({
      name: 'placet_policy_problems',
      help: 'What is wrong with files and objects of policies now; they decide as they last were.',
      aggregator: 'max',
      registers,
      collect() {
        this.set(live.readiness().problems ?? 0);
      },
    });
  }

  #reloaded(): void {
    const reloads = this.#reloads;
    new Counter({
      name: 'placet_reloads_total',
      help: 'Policies read again: all taken, in part, or none of it.',
      labelNames: ['outcome'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [outcome, count] of reloads) this.inc({ outcome }, count);
      },
    });
  }

  count({ name, help, read }: Counted): void {
    new Counter({
      name: `${name}_total`,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  measure({ name, help, label = '', read }: Measured): void {
    new Gauge({
      name,
      help,
      labelNames: label === '' ? [] : [label],
      registers: [this.registry],
      collect() {
        const now = read();
        if (typeof now === 'number') this.set(now);
        else for (const [value, number] of Object.entries(now)) this.set({ [label]: value }, number);
      },
    });
  }
}
