/** A histogram without labels, counted in an array: those of prom-client look their cells up by names made each time. */
export class Durations {
  readonly name: string;
  readonly help: string;
  readonly #bounds: Float64Array;
  /** One more than there are bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(name: string, help: string, buckets: readonly number[]) {
    this.name = name;
    this.help = help;
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

  /** As a registry of prom-client asks its metrics. */
  async get() {
    const { name, help } = this;
    const values: { metricName: string; labels: { le?: number | string }; value: number }[] = [];
    let count = 0;
    this.#counts.forEach((one, at) => {
      count += one;
      values.push({ metricName: `${name}_bucket`, labels: { le: this.#bounds[at] ?? '+Inf' }, value: count });
    });
    values.push({ metricName: `${name}_sum`, labels: {}, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels: {}, value: count });
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
