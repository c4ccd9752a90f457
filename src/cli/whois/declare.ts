import type { Command } from 'commander';
import { collect, policiesOption } from '../options.ts';

/** `placet whois`: what it takes and how it is used. */
export function declareWhois(program: Command, help: string): Command {
  return policiesOption(program.command('whois'))
    .description('say who somebody is, by a certificate, a token or an address, and what says so')
    .optionsGroup('Evidence, one or more of:')
    .option('--cert <file>', 'certificates in PEM: the leaf, then intermediates')
    .option('--jwt <token>', 'a JWT-SVID, or @file')
    .option('--service-account <token>', 'a token of Kubernetes, or @file; the cluster reviews it')
    .option('--ip <address>', 'where the client calls from')
    .optionsGroup('What it is checked with:')
    .option(
      '--bundle <trust-domain=file>',
      'authorities of a trust domain, or of a mesh; may be repeated',
      collect,
    )
    .option(
      '--workload-api [socket]',
      'the bundles of a SPIFFE Workload API, unix:///path; without its place, and without --bundle: SPIFFE_ENDPOINT_SOCKET',
    )
    .option('--audience <name>', 'who we are to those who make tokens; may be repeated', collect)
    .option('--kubeconfig <file>', 'also ask this cluster')
    .option('--context <name>', 'a context of the kubeconfig')
    .optionsGroup('Output:')
    .option('--json', 'one JSON object instead of text')
    .addHelpText('after', help);
}
