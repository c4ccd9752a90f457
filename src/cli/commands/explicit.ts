import type { Path } from '../../pdp/model/violation.ts';
import { displayName } from '../../policy/kinds/head.ts';
import { additionsOf, explicitDocument } from '../../policy/targets/additions.ts';
import { inZone } from '../../policy/targets/explicit.ts';
import { roleOf } from '../../policy/targets/role.ts';
import type { Targeted } from '../../policy/targets/targeted.ts';
import { writeYaml } from '../../policy/text/amend.ts';
import { exit, Failure } from '../failure.ts';
import { type PolicySet, soundSet } from '../set.ts';
import { markAdded } from '../show/added.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';

export interface ExplicitFlags {
  readonly json?: boolean;
  readonly name?: string;
  readonly zone?: string;
}

/** In the order of files and of places in them; routes are policies too. */
function policiesOf(set: PolicySet, name: string | undefined): readonly Targeted[] {
  const { targeted, resources } = set.loaded;
  const all = [...targeted, ...resources.all.flatMap((one) => one.targeted ?? [])];
  const found = all.filter(
    ({ head }) => name === undefined || head.name === name || displayName(head) === name,
  );
  const place = (policy: Targeted) => [policy.head.document, Number(policy.head.root[1] ?? 0)] as const;
  return found.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
}

/** Every policy as it would be written in full. */
export async function explicit(
  terminal: Terminal,
  paths: readonly string[],
  flags: ExplicitFlags,
): Promise<number> {
  const set = await soundSet(paths, terminal);
  const policies = policiesOf(set, flags.name);
  if (policies.length === 0 && flags.name !== undefined)
    throw new Failure(exit.problems, `there is no policy ${printable(flags.name)} in these paths`);
  const { out } = terminal;
  const paint = palette(out);
  for (const [index, policy] of policies.entries()) {
    if (out.closed) break;
    const { document: at, root } = policy.head;
    const document = set.documents[at]!;
    const additions = additionsOf(document.value, policy, flags.zone);
    if (flags.json === true) {
      const value = partOf(explicitDocument(document.value, policy, flags.zone), root);
      const added = additions.map(({ path }) => path.slice(root.length));
      await out.line(toJson({ role: roleOf(inZone(policy, flags.zone)), added, document: value }));
      continue;
    }
    const text = writeYaml(document, root, additions);
    const shown = text.split('\n').map(printable).join('\n');
    const before = writeYaml(document, root, []).split('\n').map(printable).join('\n');
    await out.write(
      `${index === 0 ? '' : '---\n'}${out.colour ? markAdded(before, shown, paint.green) : shown}`,
    );
  }
  return exit.ok;
}

function partOf(value: unknown, path: Path): unknown {
  let here = value;
  for (const part of path) here = (here as Record<string | number, unknown>)[part];
  return here;
}
