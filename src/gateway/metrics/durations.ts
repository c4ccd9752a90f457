import { Histogram, type Registry } from 'prom-client';

type Values = Awaited<ReturnType<Histogram['get']>>;

/** A histogram without labels, counted in an array: `observe` looks its cells up by names that it makes each time. */
export class Durations extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: Float64Array;
  /** One more than there are bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(name: string, help: string, buckets: readonly number[], registry: Registry) {
    super({ name, help, buckets: [...buckets], registers: [registry] });
    this.#name = name;
    this.#help = help;
    this.#bounds = Float64Array.from(buckets);
    this.#counts = new Float64Array(buckets.length + 1);
  }

  add(seconds: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && seconds > bounds[at]!) at++;
    this.#counts[at]!++;
    this.#sum += seconds;
  }

  override async get(): Promise<Values> {
    const name = this.#name;
    const values: Values['values'] = [];
    let count = 0;
    this.#counts.forEach((one, at) => {
      count += one;
      values.push({ metricName: `${name}_bucket`, labels: { le: this.#bounds[at] ?? '+Inf' }, value: count });
    });
    values.push({ metricName: `${name}_sum`, labels: {}, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels: {}, value: count });
    // Its types say that these are numbers; all of its code has words.
    const type = 'histogram' as unknown as Values['type'];
    return { name, help: this.#help, type, aggregator: 'sum', collect: () => undefined, values };
  }

  /** What the registry asks for instead, where there is one. */
  getForPromString(): Promise<Values> {
    return this.get();
  }
}
