import type { Command } from 'commander';
import { channelOptions, policiesOption, requestOptions } from '../options.ts';
import type { Terminal } from '../terminal/output.ts';
import { declareWhois } from '../whois/declare.ts';
import { type Does, examples } from './does.ts';

/** Commands that decide. */
export function declareDecisions(program: Command, terminal: Terminal, does: Does): void {
  program.commandsGroup('Decisions:');
  channelOptions(requestOptions(policiesOption(program.command('decide'))))
    .description('decide requests: from flags, from a file, or from stdin')
    .option('--json', 'one decision per line, as POST /decide answers')
    .option('--exit-code', 'end with 3 if a request is denied')
    .addHelpText(
      'after',
      examples(
        'placet decide --policies policies --source-spiffe-id spiffe://trust-domain.mesh/ns/a/sa/b \\',
        '  --dataplane operator-3/backend-1',
        'placet decide --policies policies --source k8s:ns=crm --source site:location=eu/de \\',
        '  --service customers/records',
        'placet decide --policies policies --json --request requests.jsonl',
        'echo \'{"destination": {"service": "shop/pay"}}\' | placet decide --policies policies',
        '',
        'Requests in a file or on stdin are one object, an array, or one object per line.',
        'Ends with 0, with 1 if something was no request, with 3 as --exit-code says.',
      ),
    )
    .action(does(async (options) => (await import('../commands/decide.ts')).decide(terminal, options)));
  declareWhois(
    program,
    examples(
      'placet whois --cert web.pem --bundle example.org=roots.pem',
      'placet whois --jwt @token --audience placet --workload-api unix:///run/spire/agent.sock',
      'placet whois --ip 10.1.2.3 --kubeconfig ~/.kube/config --policies site.yaml',
      '',
      'Ends with 0, with 1 if evidence is refused or contradicts itself.',
    ),
  ).action(does(async (options) => (await import('../commands/whois.ts')).whois(terminal, options)));
  channelOptions(requestOptions(policiesOption(program.command('explain'))))
    .description('say why: every rule that could apply, condition by condition, and the nearest miss')
    .option('--json', 'one explanation per line')
    .option('--all', 'also every rule that does not match, however many')
    .option('--exit-code', 'end with 3 if a request is denied')
    .addHelpText(
      'after',
      examples(
        'placet explain --policies policies --dataplane prefixes/strict-1 --method GET --path /metrics \\',
        '  --source-spiffe-id spiffe://trust-domain.mesh/ns/obs-evil/sa/prometheus',
        'placet explain --policies policies --request request.json',
      ),
    )
    .action(does(async (options) => (await import('../commands/explain.ts')).explain(terminal, options)));
  policiesOption(program.command('replay'))
    .description('decide again what a decision log says was decided, and name what comes out otherwise')
    .argument('<logs...>', 'files of a decision log, or - for stdin')
    .option('--older <sets...>', 'policies that decided before; each path is a set')
    .option('--json', 'one difference per line, then the counts')
    .addHelpText(
      'after',
      examples(
        'placet replay decisions.log --policies policies',
        'placet replay decisions.log.1 decisions.log --policies proposed --json',
        'placet replay decisions.log --policies policies --older monday tuesday',
        '',
        'Ends with 0, with 1 if a decision differs or a line cannot be read.',
      ),
    )
    .action(
      does(async (logs: string[], options) =>
        (await import('../commands/replay.ts')).replay(terminal, logs, options),
      ),
    );
}
