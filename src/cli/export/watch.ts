import { Folders } from '../../gateway/live/folders.ts';
import { LastGood } from '../../gateway/live/last-good.ts';
import { Quiet } from '../../gateway/live/quiet.ts';
import type { Asked } from '../../pdp/governing.ts';
import { exit } from '../failure.ts';
import { onEnd } from '../serve/drain.ts';
import type { PolicySet } from '../set.ts';
import { showViolations } from '../show/violations.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { FollowingFiles } from './following.ts';
import type { Wanted } from './making.ts';

/** Milliseconds: without news before it is read, at the longest, and until it is read unasked. */
const [quiet, longest, rescan] = [50, 2_000, 30_000] as const;

/** Keeps files for Envoy as the policies are, until somebody ends it. */
export async function watchExport(
  terminal: Terminal,
  first: PolicySet,
  asked: Asked | undefined,
  wanted: Wanted,
): Promise<number> {
  const { out, err } = terminal;
  let [news, ended, wake] = [true, false, () => {}];
  onEnd(() => {
    ended = true;
    wake();
  });
  const folder = wanted.flags.out as string;
  const files = new FollowingFiles(terminal, folder, asked, wanted);
  // A mistake in the command line is no reason to wait.
  const begun = await files.follow(first, 'insist');
  if (begun.files === 0) return exit.problems;
  await out.line(`${count(begun.files, 'file')} in ${printable(folder)}, kept as the policies are`);
  const look = new Quiet(quiet, longest, () => {
    news = true;
    wake();
  });
  const folders = new Folders(wanted.flags.policies ?? []);
  const lastGood = new LastGood();
  folders.onChange(() => look.disturb());
  const timer = setInterval(() => look.disturb(), rescan);
  let latest: Pick<PolicySet, 'documents' | 'loaded'> = first;
  let again = false;
  try {
    for (;;) {
      if (ended || out.failed) return exit.ok;
      if (!news) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      news = false;
      const { outcome, set, problems } = lastGood.take(folders.read());
      if (outcome === 'same' && !again) continue;
      if (outcome !== 'same' && problems.length > 0) {
        await showViolations(err, problems, 'error');
        await err.line(outcome === 'partly' ? keptInPart : kept);
      }
      latest = set ?? latest;
      const { changed, failed } = await files.follow(latest, 'go on');
      again = failed > 0;
      if (changed.length > 0)
        await out.line(
          `snapshot ${latest.loaded.snapshot}: ${count(changed.length, 'file')} changed in ${printable(folder)}`,
        );
    }
  } finally {
    clearInterval(timer);
    look.close();
    folders.close();
  }
}

const keptInPart = 'of what is broken the last good version goes on';
const kept = 'the files stay as they are';
