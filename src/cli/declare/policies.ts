import type { Command } from 'commander';
import type { TableFlags } from '../commands/tag-table.ts';
import type { TestFlags } from '../commands/test.ts';
import { declareConf } from '../conf/declare.ts';
import { declareInspect } from '../inspect/declare.ts';
import { channelOptions } from '../options.ts';
import type { Terminal } from '../terminal/output.ts';
import { type Does, examples } from './does.ts';

/** Commands that read, check and show policies. */
export function declarePolicies(program: Command, terminal: Terminal, does: Does): void {
  program.commandsGroup('Policies:');
  program
    .command('check <paths...>')
    .description('validate policies, with every problem at once')
    .option('--json', 'one JSON object instead of text')
    .option('--strict', 'warnings count as problems')
    .addHelpText(
      'after',
      examples(
        'placet check policies',
        'placet check mesh.yaml permissions/ --strict',
        '',
        'Ends with 0, with 1 if there are errors, or warnings with --strict.',
      ),
    )
    .action(
      does(async (paths: string[], options: { json?: boolean; strict?: boolean }) =>
        (await import('../commands/check.ts')).check(terminal, paths, options),
      ),
    );
  const cases = program
    .command('test <paths...>')
    .description('decide the cases beside the policies, and say which rules none exercises')
    .option('--min-coverage <percent>', 'fail if fewer rules decided a case');
  channelOptions(cases)
    .option('--json', 'one JSON object instead of text')
    .option('-v, --verbose', 'also list the cases that hold')
    .addHelpText(
      'after',
      examples(
        'placet test policies',
        'placet test policies --min-coverage 90',
        'placet test policies/40-shadow -v',
        'placet test policies/31-images --as-caller relay',
        '',
        'Ends with 0, with 1 if a case does not hold, there is none, or too few rules decided one.',
      ),
    )
    .action(
      does(async (paths: string[], options: TestFlags) =>
        (await import('../commands/test.ts')).test(terminal, paths, options),
      ),
    );
  program
    .command('lint <paths...>')
    .description('warn of policies that are valid and probably not what is meant')
    .option('--json', 'one JSON object instead of text')
    .addHelpText(
      'after',
      examples('placet lint policies', '', 'Ends with 0, with 1 if there is anything to warn of.'),
    )
    .action(
      does(async (paths: string[], options: { json?: boolean }) =>
        (await import('../commands/lint.ts')).lint(terminal, paths, options),
      ),
    );
  program
    .command('rules <paths...>')
    .description('list what the policies come to, strongest rule first')
    .option('--tier <n>', 'only one tier, 0 to 4')
    .option('--table', 'permissions by tags as a full table: which combination of tags comes to what')
    .option(
      '-d, --dataplane <mesh/name>',
      'with --table: the proxy; its name alone if default or only one mesh has it',
    )
    .option('--inbound <name>', 'with --table: its inbound, by name or port, where it has several')
    .option('--route <name>', 'with --table: the route; not given, denies of every route count')
    .option('--json', 'with --table: one JSON object instead of text')
    .addHelpText(
      'after',
      examples(
        'placet rules policies/30-privileged',
        'placet rules --table --dataplane tags/backend-1 policies/50-tags',
      ),
    )
    .action(
      does(async (paths: string[], options: { tier?: string } & TableFlags) =>
        (await import('../commands/rules.ts')).rules(terminal, paths, options),
      ),
    );
  program
    .command('explicit <paths...>')
    .description('print policies in full: with the tags, namespaces and targets that they leave out')
    .option('--name <name>', 'only policies of this name')
    .option('--zone <zone>', 'the zone of policies that are labelled with none')
    .option('--json', 'one JSON object per policy')
    .addHelpText(
      'after',
      examples('placet explicit policies', 'placet explicit namespaces/ --zone zone-1 --name timeouts'),
    )
    .action(
      does(async (paths: string[], options: { name?: string; zone?: string; json?: boolean }) =>
        (await import('../commands/explicit.ts')).explicit(terminal, paths, options),
      ),
    );
  program
    .command('attributes <paths...>')
    .description('list attribute keys: scope, sources, values, and how many workloads have them')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', examples('placet attributes policies/20-attributes'))
    .action(
      does(async (paths: string[], options: { json?: boolean }) =>
        (await import('../commands/attributes.ts')).attributes(terminal, paths, options),
      ),
    );
  program
    .command('sync')
    .description("copy what a zone's documents have for global, or global's for a zone")
    .requiredOption('--from <folder>', 'where documents come from')
    .requiredOption('--to <folder>', 'where their copies go, below synced/')
    .option('--from-zone <name>', '--from is this zone, --to is global')
    .option('--to-zone <name>', '--to is this zone, --from is global')
    .option('--system-namespace <name>', 'the namespace of copies (default: kuma-system)')
    .option('--from-system-namespace <name>', 'that of --from (default: kuma-system)')
    .option('--universal', '--to has no namespaces')
    .option('--dry-run', 'print what would be done, and why, and do nothing')
    .option('--allow-empty', 'delete all copies where --from holds nothing')
    .option('--json', 'one JSON object instead of text')
    .addHelpText(
      'after',
      examples(
        'placet sync --from zone-a --to global --dry-run',
        'placet sync --from global --to zone-b',
        'placet sync --from clusters/eu --to hub --from-zone eu',
        '',
        'Without --from-zone or --to-zone, the folder called global is global, and the other is the zone',
        'of its name. Ends with 0, with 1 if there are problems: then nothing is written.',
      ),
    )
    .action(does(async (options) => (await import('../commands/sync.ts')).sync(terminal, options)));
  declareConf(
    program,
    examples(
      'placet conf --policies policies --dataplane default/web-1',
      'placet conf -p policies -d web-1 --kind MeshTimeout --outbound backend',
    ),
  ).action(does(async (options) => (await import('../commands/conf.ts')).conf(terminal, options)));
  declareInspect(
    program,
    examples(
      'placet inspect dataplane default/web-1 --policies policies',
      'placet inspect dataplane web-1 -p policies --inbound http --json',
    ),
  ).action(
    does(async (named: string | undefined, options) =>
      (await import('../commands/inspect.ts')).inspectDataplane(terminal, named, options),
    ),
  );
  program
    .command('migrate <paths...>')
    .description('turn permissions by tags into permissions by SPIFFE ID, and say what that changes')
    .option('--out <folder>', 'write a file a policy there, and take away those of an earlier run')
    .option('--allow-narrower', 'also write what shuts out clients that get in now')
    .option('--allow-wider', 'also write what lets in clients that do not get in now')
    .option('--every-source', 'write only what is equal for clients to come too')
    .option('--json', 'one JSON object: what changes, and the documents')
    .addHelpText(
      'after',
      examples(
        'placet migrate policies > spiffe.yaml',
        'placet migrate mesh.yaml dataplanes/ permissions/ --out migrated',
        'placet migrate policies --allow-narrower --json',
        '',
        'The paths hold the Mesh, its Dataplanes and what their SPIFFE IDs follow from: labels, Workloads,',
        'MeshIdentities. What is not equal is listed with the reason, and not written. With both flags that',
        'allow, narrower is preferred. Ends with 0, with 1 if a policy is not written.',
      ),
    )
    .action(
      does(async (paths: string[], options) =>
        (await import('../commands/migrate.ts')).migrate(terminal, paths, options),
      ),
    );
}
