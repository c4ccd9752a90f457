import { Worker } from 'node:worker_threads';
import type { LoaderOptions } from '../../gateway/live/loader.ts';
import { type LiveOptions, LivePolicies, RefusedPolicies } from '../../gateway/live/policies.ts';
import { exit, Failure } from '../failure.ts';
import { showViolations } from '../show/violations.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import type { From } from './sources.ts';

/** What the thread that reads and compiles is told when it starts. */
export interface Loading extends From {
  readonly options?: LoaderOptions;
}

export interface Opening {
  readonly live: LivePolicies;
  /** Once it can decide; with anything wrong in the policies at the beginning, all of it is said and it cannot. */
  readonly opened: Promise<void>;
}

/** The policies as they are from now on. */
export function openPolicies(
  loading: Loading,
  terminal: Terminal,
  options: Omit<LiveOptions, 'thread' | 'log'>,
): Opening {
  const live = new LivePolicies({
    ...options,
    thread: () => new Worker(threadFile, { workerData: loading, name: 'policies' }),
    log: (line) => void terminal.err.line(printable(line)),
  });
  const opened = open(live, terminal);
  // Who waits for it may do something else first.
  opened.catch(() => undefined);
  return { live, opened };
}

async function open(live: LivePolicies, terminal: Terminal): Promise<void> {
  try {
    await live.open();
  } catch (error) {
    if (!(error instanceof RefusedPolicies)) throw error;
    const { violations } = error;
    await showViolations(terminal.err, violations, 'error');
    throw new Failure(
      exit.problems,
      `the policies have ${count(violations.length, 'problem')}, so nothing is decided with them`,
    );
  }
}

/** Beside this file, in the sources and in the package alike. */
const threadFile = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);
