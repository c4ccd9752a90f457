import { envoyPath, findEnvoy } from '../../envoy/binary/envoy-path.ts';
import { EnvoyUnavailable } from '../../envoy/binary/unavailable.ts';
import { exit, Failure } from '../failure.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';

/** Stdout has the path and nothing else, for `$(placet envoy path)`. */
export async function showEnvoyPath(terminal: Terminal, options: { install: boolean }): Promise<number> {
  try {
    const path = options.install
      ? await envoyPath(process.env, (line) => void terminal.err.line(printable(line)))
      : findEnvoy(process.env);
    if (path === undefined) {
      throw new Failure(
        exit.problems,
        'there is no Envoy here',
        'without --no-install it is installed; or set ENVOY_BIN to one',
      );
    }
    await terminal.out.line(printable(path));
    return exit.ok;
  } catch (error) {
    if (!(error instanceof EnvoyUnavailable)) throw error;
    throw new Failure(exit.problems, error.message, error.hint);
  }
}
