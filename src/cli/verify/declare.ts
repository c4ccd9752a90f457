import type { Command } from 'commander';
import { policiesOption } from '../options.ts';

/** `placet verify envoy`: what it takes. */
export function declareVerifyEnvoy(program: Command, help: string): Command {
  const verify = program
    .command('verify')
    .description('compare what enforces policies with what they say')
    .addHelpText('after', help);
  return policiesOption(verify.command('envoy'))
    .description('compare the RBAC filters of an Envoy with the policies, and check all they rely on')
    .optionsGroup('Which Envoy:')
    .option(
      '-d, --dataplane <mesh/name>',
      'the proxy that it is; its name alone if the mesh default or one other has it',
    )
    .option('--inbound <name>', 'the inbound of the proxy, by name or port')
    .option('--service <namespace/name>', 'or the service or export that it stands before')
    .option('--config <file...>', 'its bootstrap, listener, configuration dump, or filters')
    .option('--admin <url>', 'its admin interface, which is asked for its configuration')
    .option('--listener <name>', 'the listener; not given, the one at the port of the inbound')
    .optionsGroup('How:')
    .option('--shadow <form>', 'corrected (default), or paper: only what is enforced is compared')
    .option('--attributes <source>', 'inventory (default), or jwt: clients come with exchange tokens')
    .option('--max-requests <n>', 'requests that are tried, at most (500,000)')
    .optionsGroup('Output:')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', help);
}
