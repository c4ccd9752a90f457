/** Why there is no Envoy to run, and what to do about it. */
export class EnvoyUnavailable extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'EnvoyUnavailable';
    this.hint = hint;
  }
}
