/** What is open, to be closed whatever went wrong: the last first, since it may need what was opened before it. */
export class Closing {
  readonly #open: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#open.push(close);
  }

  /** Closes all of it, also where some cannot be; then throws why the first could not. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#open.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
