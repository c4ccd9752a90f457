import type { Command } from 'commander';
import { type Does, examples } from '../declare/does.ts';
import { collect, collectPaths } from '../options.ts';
import type { Terminal } from '../terminal/output.ts';

/** The service. */
export function declareServe(program: Command, terminal: Terminal, does: Does): void {
  program.commandsGroup('Service:');
  settings(program.command('serve'))
    .description('answer gateways and proxies by HTTP, and Envoys by gRPC')
    .addHelpText(
      'after',
      examples(
        'placet serve',
        'placet serve --policies policies/40-shadow --listen 127.0.0.1:9000',
        'placet serve --config /etc/placet/placet.yaml --set ttl=30',
        'placet serve --set envoy.listen=127.0.0.1:8421',
        '',
        'Without policies of yours it decides by those that come with Placet.',
        'By HTTP it answers POST /decide and proxies (ext_authz, forward_auth). ext_authz by gRPC, and',
        'xDS, have a port of their own, which is off until envoy.listen says where.',
        'GET /docs shows all that it answers to people, GET /openapi.json to programs.',
        'placet config shows every setting.',
      ),
    )
    .action(does(async (options) => (await import('../commands/serve.ts')).serve(terminal, options)));
  settings(program.command('config'))
    .description('show every setting of the service, and where it comes from')
    .option('--json', 'one JSON object instead of text')
    .addHelpText(
      'after',
      examples('placet config', 'PLACET_TTL=30 placet config', 'placet config --config placet.yaml --json'),
    )
    .action(does(async (options) => (await import('../commands/config.ts')).config(terminal, options)));
}

function settings(command: Command): Command {
  return command
    .optionsGroup('Settings:')
    .option('-c, --config <file>', 'settings in a file (placet.yaml, if it is there)')
    .option('-p, --policies <path...>', 'files and folders of policies', collectPaths)
    .option('--listen <address>', 'where: host:port, or unix:/path')
    .option('--workers <n>', 'processes that share the port')
    .option('--set <setting=value>', 'any other setting; may be repeated', collect);
}
