import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { envoyPath } from '../../src/envoy/binary/envoy-path.ts';
import { type Cast, cast } from '../demo-envoy/cast.ts';
import { agree, board } from './board.ts';
import { type Outcome, raise, type Stage } from './stage.ts';

/**
 * `npm run demo`: three real Envoys before one upstream. One asks Placet for each request (ext_authz), one has RBAC out
 * of a file that `placet export envoy --watch` keeps (native), one gets its RBAC from Placet (xds); beside them the PDP
 * itself. A policy that is edited holds in all of them. It stays until Ctrl-C, or with `--once` shows one table.
 */

const { values: flags } = parseArgs({ options: { once: { type: 'boolean' } } });

async function perform(stage: Stage, { scenes }: Cast): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const scene of scenes) outcomes.push(await stage.play(scene));
  return outcomes;
}

/** Milliseconds within which all are to follow. */
const patience = 10_000;

/** Again and again, until all say the same. */
async function settle(stage: Stage, all: Cast): Promise<readonly Outcome[]> {
  const until = performance.now() + patience;
  for (;;) {
    const outcomes = await perform(stage, all);
    if (outcomes.every(agree) || performance.now() > until) return outcomes;
  }
}

function show(all: Cast, outcomes: readonly Outcome[], before?: readonly Outcome[]): number {
  const [scenes, shown] = [[...all.scenes], [...outcomes]].map((list) =>
    (list as unknown[]).filter(
      (_, at) => before === undefined || JSON.stringify(before[at]) !== JSON.stringify(outcomes[at]),
    ),
  ) as [Cast['scenes'], Outcome[]];
  if (shown.length > 0) for (const line of board(scenes, shown)) console.log(`  ${line}`);
  const differing = outcomes.filter((one) => !agree(one)).length;
  const changed = before === undefined ? '' : `${shown.length} changed, `;
  console.log(`\n${outcomes.length} requests, ${changed}${differing} decided otherwise than by the PDP`);
  return differing;
}

async function follow(
  stage: Stage,
  all: Cast,
  first: readonly Outcome[],
  interrupted: AbortSignal,
): Promise<void> {
  let shown = first;
  let edits = 0;
  let wake = (): void => undefined;
  stage.onLine((line) => {
    if (!/^the policies are those of snapshot/.test(line)) console.log(line);
    else edits++;
    wake();
  });
  interrupted.addEventListener('abort', () => wake());
  for (let seen = 0; !interrupted.aborted; ) {
    if (seen === edits) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    seen = edits;
    console.log(`\n${stage.policies} was edited:`);
    const outcomes = await settle(stage, all);
    if (interrupted.aborted) return;
    show(all, outcomes, shown);
    shown = outcomes;
  }
}

async function main(): Promise<number> {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  const interrupted = controller.signal;
  await envoyPath(process.env, (line) => console.error(line));
  const all = await cast();
  const stage = await raise(all);
  // A process with nothing to wait for would end.
  const awake = setInterval(() => undefined, 60_000);
  try {
    console.log(
      'The same requests over mTLS through an Envoy of each mode, and what the PDP says of them:\n',
    );
    const outcomes = await settle(stage, all);
    const differing = show(all, outcomes);
    if (flags.once || interrupted.aborted) return differing === 0 ? 0 : 1;
    console.log(`\nEdit ${stage.policies} and look; it goes on until Ctrl-C.`);
    const following = follow(stage, all, outcomes, interrupted);
    if (!interrupted.aborted) await Promise.race([following, once(interrupted, 'abort')]);
    await following;
    return 0;
  } finally {
    clearInterval(awake);
    await stage.clear();
    if (interrupted.aborted) console.log('\nended; nothing is left behind');
  }
}

process.exit(await main());
