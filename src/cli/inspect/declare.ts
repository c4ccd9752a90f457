import type { Command } from 'commander';
import { policiesOption } from '../options.ts';

/** `placet inspect dataplane`: what it takes and how it is used. */
export function declareInspect(program: Command, help: string): Command {
  const inspect = program
    .command('inspect')
    .description('what there is and what says so, as the API of Kuma shows it')
    .addHelpText('after', help);
  return policiesOption(inspect.command('dataplane').usage('[options] <mesh/name>'))
    .argument('[mesh/name]')
    .description('a proxy: its inbounds and outbounds, and the policies of each')
    .optionsGroup('One part of it:')
    .option('--layout', 'its inbounds and outbounds')
    .option('--inbound <name>', 'the policies of an inbound, by name, port or identifier')
    .option('--outbound <service>', 'the policies of what it calls, by name, port or identifier')
    .option('--shadow', 'as if policies labelled kuma.io/effect: shadow were in force')
    .optionsGroup('Output:')
    .option(
      '--json',
      'what the API would answer: _layout, _policies of an inbound or an outbound, or all of it',
    )
    .addHelpText('after', help);
}
