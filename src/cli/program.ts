import { setImmediate } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { declareCommands } from './declare/commands.ts';
import { exit, Failure } from './failure.ts';
import { wholly } from './terminal/file.ts';
import { Output, type Stream, type Terminal } from './terminal/output.ts';
import { palette } from './terminal/paint.ts';
import { printable } from './terminal/plain.ts';

/** What a process has; tests bring their own. */
export interface World {
  readonly stdin: Terminal['in'];
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function buildProgram(terminal: Terminal, done: (code: number) => void): Command {
  const { out, err } = terminal;
  const title = palette(out).bold;
  const program = new Command('placet')
    .description('decides who may talk to whom, and says why')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: (text, write) =>
        write(
          text
            .replace(/^error: /, 'placet: ')
            .split('\n')
            .map(printable)
            .join('\n'),
        ),
      getOutHelpWidth: () => out.columns,
      getErrHelpWidth: () => err.columns,
      getOutHasColors: () => out.colour,
      getErrHasColors: () => err.colour,
    })
    .configureHelp({ styleTitle: (text) => title(text) })
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError('  --help shows what there is')
    // Only listed: main.ts answers it before anything is loaded.
    .option('-V, --version', 'print the version');
  declareCommands(program, terminal, done);
  declareHelp(program);
  return program;
}

/** `placet help inspect dataplane` is `placet inspect dataplane --help`. */
function declareHelp(program: Command): void {
  for (const command of program.commands) command.helpCommand(false);
  program
    .command('help')
    .argument('[command...]')
    .description('show help for a command')
    .helpGroup('More:')
    .action(async (path: readonly string[]) => {
      let found = program;
      for (const name of path) {
        const known = found.commands.map((command) => command.name());
        const next = found.commands[known.indexOf(name)];
        if (next === undefined) {
          const { nearest } = await import('../pdp/model/text.ts');
          const near = nearest(name, known);
          const hint = near === undefined ? '--help shows what there is' : `did you mean ${near}?`;
          throw new Failure(exit.usage, `unknown command '${name}'`, hint);
        }
        found = next;
      }
      found.help();
    });
}

async function report(err: Output, failure: Failure): Promise<void> {
  const hint = failure.hint === undefined ? '' : `\n  ${printable(failure.hint)}`;
  await err.line(`${palette(err).red('placet:')} ${printable(failure.message)}${hint}`);
}

export async function main(args: readonly string[], world: World = process): Promise<number> {
  const err = new Output(world.stderr, world.env);
  const out = new Output(wholly(world.stdout), world.env, (reason) => {
    void report(err, new Failure(exit.problems, reason));
  });
  const code = await runCommand(args, { in: world.stdin, out, err });
  // The last write may fail a moment after it was made.
  await setImmediate();
  if (out.failed) return exit.problems;
  return err.failed && code === exit.ok ? exit.problems : code;
}

async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = exit.ok;
  const program = buildProgram(terminal, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage;
    if (!(error instanceof Failure)) throw error;
    await report(terminal.err, error);
    return error.exitCode;
  }
}
