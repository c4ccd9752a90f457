import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { exit, Failure } from '../failure.ts';
import type { Address } from './address.ts';

/** Why nobody can be heard at an address. `by`: what says where. */
export function cannotListen(address: Address, error: unknown, by: string): Failure {
  const at = address.kind === 'socket' ? address.path : `${address.host}:${address.port}`;
  const { code = '', errno, message } = error as NodeJS.ErrnoException;
  const [reason, hint] = (address.kind === 'socket'
    ? ofSocket(address.path, code)
    : ofPort(address, code)) ?? [
    errno === undefined ? message : getSystemErrorMessage(errno),
    'another address may do',
  ];
  return new Failure(exit.problems, `cannot listen on ${at}: ${reason}`, `${hint}; ${by} takes another`);
}

type Words = readonly [reason: string, hint: string];

/** `sun_path` of unix(7) ends with a zero. */
const longestPath = 107;

/** The system says EACCES of a folder that is not there, too. */
function ofSocket(path: string, code: string): Words | undefined {
  const folder = dirname(path);
  const found = kindAt(folder);
  if (found === 'nothing') return [`there is no folder ${folder}`, 'make it first'];
  if (found !== 'folder' && found !== 'hidden')
    return [`${folder} is no folder`, 'a socket lies in a folder'];
  if (code === 'EACCES' || code === 'EPERM')
    return [`no permission to make a socket in ${folder}`, 'who runs this must be able to write there'];
  if (code === 'EADDRINUSE') {
    return kindAt(path) === 'socket'
      ? ['somebody else does', 'end that first']
      : ['something else than a socket lies there', 'move it away'];
  }
  const { length } = Buffer.from(path);
  return length > longestPath
    ? [`got a path of ${length} bytes, want at most ${longestPath}`, 'give a shorter one']
    : undefined;
}

/** Hidden: who runs this may not look. */
function kindAt(path: string): 'nothing' | 'folder' | 'socket' | 'hidden' | 'else' {
  try {
    const found = statSync(path);
    return found.isDirectory() ? 'folder' : found.isSocket() ? 'socket' : 'else';
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? 'nothing' : 'hidden';
  }
}

/** Who is not root may have none below on most systems (`net.ipv4.ip_unprivileged_port_start`). */
const firstFree = 1_024;

function ofPort(
  { host, port }: { readonly host: string; readonly port: number },
  code: string,
): Words | undefined {
  if (code === 'EADDRINUSE') return ['somebody else does', 'end that first'];
  if (code === 'EADDRNOTAVAIL')
    return [`${host} is no address of this machine`, 'the address 0.0.0.0 is every one that it has'];
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return [`no address is known of the host ${host}`, 'an address needs no lookup'];
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  const hint =
    port < firstFree ? `ports from ${firstFree} on are for everybody` : 'something on this machine bars it';
  return [`no permission for port ${port}`, hint];
}
