import type { Command } from 'commander';
import { collect, collectPaths } from '../options.ts';

/** `placet doctor`: what it takes and how it is used. */
export function declareDoctor(program: Command, help: string): Command {
  return program
    .command('doctor')
    .description('look whether all that Placet needs is there, and say what to do where it is not')
    .optionsGroup('What to look at, one or more of:')
    .option('-p, --policies <path...>', 'files and folders of policies', collectPaths)
    .option('--bundle <trust-domain=file>', 'authorities of a trust domain; may be repeated', collect)
    .option(
      '--workload-api [socket]',
      'a SPIFFE Workload API, unix:///path; without its place: SPIFFE_ENDPOINT_SOCKET',
    )
    .option('--kubeconfig <file>', 'a cluster: its clock, its kinds, our permissions, policies in it')
    .option('--context <name>', 'a context of the kubeconfig')
    .option('--cluster', 'the cluster of the pod that this runs in, else of KUBECONFIG')
    .optionsGroup('Output:')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', help);
}
