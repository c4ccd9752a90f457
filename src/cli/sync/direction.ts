import { basename, resolve } from 'node:path';
import type { Side } from '../../policy/zones/plan.ts';
import { exit, Failure } from '../failure.ts';

export interface DirectionFlags {
  readonly from: string;
  readonly to: string;
  readonly fromZone?: string;
  readonly toZone?: string;
  readonly systemNamespace?: string;
  readonly fromSystemNamespace?: string;
  readonly universal?: boolean;
}

const systemNamespace = 'kuma-system';
const global = 'global';

/**
 * Which end is a zone, and which one. The command line says it, by a flag or by the names of the folders; documents
 * are not asked, since whoever may write one could say anything in it (SPEC ZON3).
 */
export function directionOf(flags: DirectionFlags): { readonly from: Side; readonly to: Side } {
  const { from, to } = zonesOf(flags);
  if (flags.universal === true && flags.systemNamespace !== undefined)
    usage('--universal and --system-namespace contradict each other', 'Universal has no namespaces');
  const namespace = flags.systemNamespace ?? systemNamespace;
  for (const name of [namespace, flags.fromSystemNamespace])
    if (name !== undefined && !isLabel(name)) usage(`${name} is no name of a namespace`);
  return {
    from: { zone: from, systemNamespace: flags.fromSystemNamespace ?? systemNamespace },
    to: { zone: to, systemNamespace: flags.universal === true ? undefined : namespace },
  };
}

function zonesOf({ from, to, fromZone, toZone }: DirectionFlags): { from?: string; to?: string } {
  if (fromZone !== undefined && toZone !== undefined)
    usage(
      '--from-zone and --to-zone are two ways',
      'a zone sends to global, and global to zones: run it twice',
    );
  if (fromZone !== undefined) return { from: zone(fromZone) };
  if (toZone !== undefined) return { to: zone(toZone) };
  const [source, target] = [from, to].map((path) => basename(resolve(path)));
  if (target === global && source !== global) return { from: zone(source!) };
  if (source === global && target !== global) return { to: zone(target!) };
  return usage(
    'one end is a zone and the other is global, and it was not said which',
    'name the zone: --from-zone <name> or --to-zone <name>; or call the folders global and by the name of the zone',
  );
}

function zone(name: string): string {
  if (!isLabel(name))
    usage(`${name} is no name of a zone`, 'want up to 63 of A-Z a-z 0-9 . _ -, no mark at the ends');
  return name;
}

/** What Kubernetes takes as the value of a label. */
function isLabel(name: string): boolean {
  return name.length <= 63 && /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name);
}

function usage(message: string, hint?: string): never {
  throw new Failure(exit.usage, message, hint);
}
