import type { Command } from 'commander';
import { policiesOption } from '../options.ts';

/** `placet conf`: what it takes and how it is used. */
export function declareConf(program: Command, help: string): Command {
  return policiesOption(program.command('conf'))
    .description('show what a proxy gets: merged confs, and which policy says each field')
    .optionsGroup('Of what:')
    .option(
      '-d, --dataplane <mesh/name>',
      'the proxy; its name alone if the mesh default or one other has it (required)',
    )
    .option('--kind <kind>', 'only policies of this kind')
    .option('--outbound <service>', 'only what it calls, by the name of the service or the port')
    .option('--inbound <name>', 'only this inbound, by name or port')
    .option('--shadow', 'as if policies labelled kuma.io/effect: shadow were in force')
    .optionsGroup('Output:')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', help);
}
