type Action = (...args: never[]) => Promise<number>;

/** What commander calls for a command; what the command ends with goes to whoever waits for it. */
export type Does = (action: Action) => (...args: unknown[]) => Promise<void>;

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}`;
}
