import { type Mode, modes } from '../../envoy/export/modes.ts';
import type { Placet } from '../../envoy/export/modes-placet.ts';
import { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { exit, Failure } from '../failure.ts';
import { isLocal, readAddress } from '../serve/address.ts';
import { word } from '../word.ts';
import type { DocumentKind, ExportFlags } from './flags.ts';

/** Who decides in the place of filters that are written out. */
export interface Asking {
  readonly mode: Exclude<Mode, 'native'>;
  readonly placet: Placet;
}

const usual = '127.0.0.1:8421';

/** Undefined: what is exported decides. */
export function askingFrom(flags: ExportFlags, kind: DocumentKind): Asking | undefined {
  const mode = word('--mode', flags.mode, modes) ?? 'native';
  if (flags.mode !== undefined && kind !== 'bootstrap')
    throw new Failure(exit.usage, `--mode ${mode}: of a bootstrap`, 'give --as bootstrap too');
  if (mode === 'native') {
    if (flags.placet !== undefined || flags.placetId !== undefined)
      throw new Failure(exit.usage, '--placet: nobody asks it', 'give --mode ext_authz or --mode xds too');
    return undefined;
  }
  const foreign = ofRbac.find(([key, usually]) => flags[key] !== undefined && flags[key] !== usually);
  if (foreign !== undefined)
    throw new Failure(
      exit.usage,
      `${foreign[2]}: about RBAC as it is written here, and with --mode ${mode} Placet decides`,
      'leave it out, or give --mode native',
    );
  return { mode, placet: placetFrom(flags.placet ?? usual, flags.placetId) };
}

/** Each with what it is where nobody gives it. */
const ofRbac: readonly (readonly [keyof ExportFlags, unknown, string])[] = [
  ['form', undefined, '--form'],
  ['shadow', undefined, '--shadow'],
  ['attributes', undefined, '--attributes'],
  ['targetVersion', undefined, '--target-version'],
  ['minimise', true, '--no-minimise'],
  ['allowNarrower', undefined, '--allow-narrower'],
  ['paperAsWritten', undefined, '--paper-as-written'],
  ['maxBytes', undefined, '--max-bytes'],
  ['report', undefined, '--report'],
];

function placetFrom(text: string, id: string | undefined): Placet {
  const address = readAddress(text);
  if (address === undefined)
    throw new Failure(exit.usage, `--placet ${text}: no address`, 'it is written host:port or unix:/path');
  if (id === undefined && !isLocal(address))
    throw new Failure(
      exit.usage,
      `--placet ${text}: not on this machine, so that whoever answers has to show who it is`,
      'give --placet-id spiffe://trust-domain/path, the ID in its certificate',
    );
  if (id !== undefined) {
    const parsed = SpiffeId.parse(id);
    if (!parsed.ok) throw new Failure(exit.usage, `--placet-id ${id}: no SPIFFE ID: ${parsed.fault.message}`);
  }
  const at = address.kind === 'socket' ? { path: address.path } : { host: address.host, port: address.port };
  return { at, ...(id === undefined ? {} : { id }) };
}
