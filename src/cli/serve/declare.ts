import type { Command } from 'commander';
import { type Does, examples } from '../declare/does.ts';
import { policiesOption } from '../options.ts';
import type { Terminal } from '../terminal/output.ts';

/** The service. */
export function declareServe(program: Command, terminal: Terminal, does: Does): void {
  program.commandsGroup('Service:');
  policiesOption(program.command('serve'))
    .description('answer POST /decide for gateways')
    .option('--listen <address>', 'where, host:port', '127.0.0.1:8420')
    .addHelpText('after', examples('placet serve --policies policies'))
    .action(does(async (options) => (await import('../commands/serve.ts')).serve(terminal, options)));
}
