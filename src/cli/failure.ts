/** Ends a command with a message for the person at the terminal: no stack, a hint where there is one. */
export class Failure extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(exitCode: number, message: string, hint?: string) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** What a command ends with. 2 is a command line that was not understood. */
export const exit = { ok: 0, problems: 1, usage: 2, deny: 3 } as const;
