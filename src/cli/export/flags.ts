import type { ExportOptions } from '../../envoy/export/types.ts';
import type { Address } from '../../envoy/export/wiring.ts';
import type { Asked } from '../../pdp/governing.ts';
import { withMesh } from '../conf/pick.ts';
import { exit, Failure } from '../failure.ts';
import type { PolicySet } from '../set.ts';
import { word } from '../word.ts';

/** What `placet export envoy` is given, as the command line has it. */
export interface ExportFlags {
  readonly policies?: readonly string[];
  readonly dataplane?: string;
  readonly inbound?: string;
  readonly service?: string;
  readonly all?: boolean;
  readonly out?: string;
  readonly filter?: string;
  readonly form?: string;
  readonly shadow?: string;
  readonly attributes?: string;
  readonly targetVersion?: string;
  readonly as?: string;
  readonly mode?: string;
  readonly placet?: string;
  readonly placetId?: string;
  readonly watch?: boolean;
  readonly listen?: string;
  readonly upstream?: string;
  readonly admin?: string;
  readonly tls?: string;
  readonly report?: string;
  readonly maxBytes?: string;
  readonly allowNarrower?: boolean;
  readonly paperAsWritten?: boolean;
  readonly minimise?: boolean;
  readonly validate?: boolean;
  readonly json?: boolean;
}

export const documentKinds = ['filter', 'listener', 'bootstrap', 'ecds'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** What these options take. */
export const words = {
  '--filter': ['http', 'network'],
  '--form': ['tree', 'list', 'table'],
  '--shadow': ['corrected', 'paper'],
  '--attributes': ['inventory', 'jwt'],
} as const;

export function optionsFrom(flags: ExportFlags): ExportOptions {
  const filter = word('--filter', flags.filter, words['--filter']);
  const form = word('--form', flags.form, words['--form']);
  const shadow = word('--shadow', flags.shadow, words['--shadow']);
  const attributes = word('--attributes', flags.attributes, words['--attributes']);
  const maxBytes = wholeNumber('--max-bytes', flags.maxBytes);
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(form === undefined ? {} : { form }),
    ...(shadow === undefined ? {} : { shadow }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(flags.targetVersion === undefined ? {} : { targetVersion: flags.targetVersion }),
    minimise: flags.minimise !== false,
    allowNarrower: flags.allowNarrower === true,
    paperAsWritten: flags.paperAsWritten === true,
  };
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Failure(exit.usage, `${option} ${text}: no number`, 'a whole number from 1 on');
}

export function checkAsked(flags: ExportFlags): void {
  const given = [flags.dataplane, flags.service, flags.all ? 'all' : undefined].filter(
    (one) => one !== undefined,
  );
  if (given.length !== 1)
    throw new Failure(
      exit.usage,
      given.length === 0 ? 'what is to be exported?' : 'only one thing is exported at a time',
      'give one of --dataplane mesh/name, --service namespace/name, --all',
    );
  if (flags.inbound !== undefined && flags.dataplane === undefined)
    throw new Failure(exit.usage, '--inbound is an inbound of a dataplane', 'give --dataplane mesh/name too');
  if (flags.watch === true && (flags.as !== 'ecds' || flags.out === undefined))
    throw new Failure(
      exit.usage,
      '--watch keeps files that Envoy reads by itself whenever they change',
      'placet export envoy --as ecds --out folder --watch',
    );
  if ((flags.out !== undefined) !== (flags.all === true || flags.watch === true))
    throw new Failure(exit.usage, '--all and --out go together', 'placet export envoy --all --out folder');
}

/** Undefined: everything that the set has. */
export function askedFrom(flags: ExportFlags, set: PolicySet): Asked | undefined {
  if (flags.service !== undefined) return { service: flags.service };
  if (flags.dataplane === undefined) return undefined;
  const [mesh, name, ...more] = withMesh(set, flags.dataplane).split('/');
  if (!mesh || !name || more.length > 0)
    throw new Failure(exit.usage, `--dataplane ${flags.dataplane}: no dataplane`, 'it is written mesh/name');
  return { mesh, dataplane: name, ...(flags.inbound === undefined ? {} : { inbound: flags.inbound }) };
}

export function addressFrom(
  option: string,
  text: string | undefined,
  usual: Address | undefined,
): Address | undefined {
  if (text === undefined) return usual;
  const found = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port < 1 || port > 65_535)
    throw new Failure(
      exit.usage,
      `${option} ${text}: no address`,
      'it is written host:port, or a port alone',
    );
  const host = found[1]?.replace(/^\[(.*)\]$/, '$1') ?? usual?.host ?? '127.0.0.1';
  return { host, port };
}
