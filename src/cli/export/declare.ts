import type { Command } from 'commander';
import { policiesOption } from '../options.ts';

/** `placet export envoy`: what it takes. */
export function declareExportEnvoy(program: Command, help: string): Command {
  const exports = program
    .command('export')
    .description('turn policies into configuration of what enforces them')
    .addHelpText('after', help);
  return policiesOption(exports.command('envoy'))
    .description('RBAC that Envoy enforces without Placet, and which policies it carries over exactly')
    .optionsGroup('What, one of:')
    .option('-d, --dataplane <mesh/name>', 'a proxy; its name alone if the mesh default or one other has it')
    .option('--service <namespace/name>', 'a service or export')
    .option('--all', 'every inbound of every proxy, into --out')
    .optionsGroup('With:')
    .option('--inbound <name>', 'the inbound of the proxy, by name or port')
    .option('--out <folder>', 'where --all and --watch write their files')
    .optionsGroup('How:')
    .option('--filter <kind>', 'http or network; not given, as the inbound is declared')
    .option('--form <form>', 'tree (default), list, or table, which is for tags alone')
    .option('--shadow <form>', 'corrected (default), or paper: what the papers draw')
    .option('--attributes <source>', 'inventory (default), or jwt: out of the exchange tokens of peers')
    .option('--target-version <version>', 'the Envoy that is meant (1.40)')
    .option('--no-minimise', 'leave in what decides nothing')
    .option('--allow-narrower', 'also export what lets in less than the policies')
    .option('--paper-as-written', 'also export the literal table, which lets in more')
    .option('--max-bytes <n>', 'refuse more than that')
    .optionsGroup('Output:')
    .option('--as <document>', 'filter (default), listener, bootstrap or ecds')
    .option('--mode <mode>', 'of a bootstrap: native (default), ext_authz or xds, which ask Placet')
    .option('--placet <address>', 'whom they ask: what envoy.listen of placet serve is (127.0.0.1:8421)')
    .option('--placet-id <SPIFFE ID>', 'that it has; needed where it is not on this machine')
    .option('--listen <address>', "where the listener listens (0.0.0.0 and the inbound's port)")
    .option('--upstream <address>', "what is behind it (127.0.0.1 and the inbound's port)")
    .option('--admin <address>', 'an admin interface in the bootstrap')
    .option('--tls <folder>', 'of cert.pem, key.pem and bundles/<trust domain>.pem (/etc/placet/tls)')
    .option('--report <file>', 'write how each policy is carried over, and what that relies on, as JSON')
    .option('--watch', 'keep the files of ecds as the policies are, until Ctrl-C')
    .option('--validate', 'let Envoy check it first')
    .option('--json', 'JSON instead of YAML')
    .addHelpText('after', help);
}
