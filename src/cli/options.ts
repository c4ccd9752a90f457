import type { Command } from 'commander';
import { exit, Failure } from './failure.ts';

/** Of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** A path that is wanted takes whatever follows, also the next option. */
export function collectPaths(value: string, before: readonly string[] = []): string[] {
  if (value.startsWith('-')) {
    throw new Failure(
      exit.usage,
      '--policies needs a path',
      `got ${value}; a file of that name is ./${value}`,
    );
  }
  return collect(value, before);
}

export function policiesOption(command: Command): Command {
  return command
    .optionsGroup('Policies:')
    .option('-p, --policies <path...>', 'files and folders of policies (required)', collectPaths);
}

export function requestOptions(command: Command): Command {
  return command
    .optionsGroup('The request, from a file:')
    .option('-r, --request <file>', 'a file of requests, or - for stdin')
    .optionsGroup('Or from flags, who asks:')
    .option('--source-spiffe-id <id>', 'the SPIFFE ID of the client')
    .option('--source <key=value>', 'an attribute of the client; may be repeated', collect)
    .option('--source-mesh <mesh>', 'the mesh of the client')
    .option('--tag <key=value>', 'a tag of the client; may be repeated', collect)
    .option('--incomplete', 'what is not given is unknown, rather than absent')
    .optionsGroup('What is asked for, one of:')
    .option('-d, --dataplane <mesh/name>', 'a proxy; its name alone if default or only one mesh has it')
    .option('--service <namespace/name>', 'a service')
    .option('--to <key=value>', 'an attribute of the destination; may be repeated', collect)
    .optionsGroup('With:')
    .option('--inbound <name>', 'the inbound of the proxy, by name or port')
    .option('--route <name>', 'the route that the request takes, name or namespace/name')
    .option('--namespace <name>', 'the namespace whose policies bind the destination')
    .option('--method <method>', 'the method')
    .option('--path <path>', 'the path')
    .option('--sni <name>', 'the server name of the TLS handshake');
}

export function channelOptions(command: Command): Command {
  return command
    .optionsGroup('How far it is believed:')
    .option('--trust <level>', 'attested (default), configured, observed, reported or asserted')
    .option('--as-caller <role>', 'as the service would hear it from a caller with this role')
    .optionsGroup('Output:');
}
