import { isFields } from '../../pdp/model/fields.ts';
import { labelNames } from '../kinds/head.ts';
import { type Role, roles } from '../targets/role.ts';
import type { Names } from './names.ts';
import { referencesOf } from './references.ts';
import type { Resource } from './resource.ts';
import { roleIn } from './role.ts';
import { type Side, zoneNamed } from './side.ts';

/** Whether a document goes to the other end, and why or why not (SPEC ZON6, ZON7, ZON8). */
export interface Verdict {
  readonly goes: boolean;
  readonly reason: string;
  /** Of policies, so that ends further on need not work it out from rewritten references. */
  readonly role?: Role;
}

const stays = (reason: string): Verdict => ({ goes: false, reason });

const syncLabel = 'kuma.io/kds-sync';

export function verdictOn(resource: Resource, names: Names, from: Side, to: Side): Verdict {
  const { kind, travel, labels } = resource;
  if (travel === undefined) return stays(`a ${kind} belongs to the place where it is`);
  const origin = names.origin(resource);
  if (origin.as === 'claim') return stays(origin.reason);
  if (labels[syncLabel] === 'disabled') return stays(`the label ${syncLabel} keeps it where it is`);
  if (from.zone !== undefined) {
    if (origin.as === 'copy') return stays(cameFrom(origin.of.zone, from));
    if (!travel.up) return stays(`a ${kind} of a zone stays in it: it is made in global`);
    const role = travel.across === 'by-role' ? roleIn(resource, from) : undefined;
    return goes('global sees what its zones have', role);
  }
  if (origin.as === 'own') {
    if (!travel.down) return stays(`a ${kind} is made in zones`);
    return goes("global's own is for all zones", travel.across === 'by-role' ? 'system' : undefined);
  }
  if (origin.of.zone === to.zone) return stays('it is from there');
  if (travel.across === 'yes') return goes(`a ${kind} is for all other zones`);
  if (travel.across === 'no') return stays(`a ${kind} of a zone does not go to other zones`);
  return acrossByRole(resource, to);
}

function goes(reason: string, role?: Role): Verdict {
  return { goes: true, reason, ...(role === undefined ? {} : { role }) };
}

function cameFrom(zone: string, from: Side): string {
  if (zone === '') return 'a copy: it came from global';
  return zone === from.zone
    ? 'a copy of what this zone has itself'
    : `a copy: it came from ${zoneNamed(zone)} through global`;
}

const whyNot: Readonly<Record<Exclude<Role, 'producer'>, string>> = {
  consumer: 'a consumer policy is for the clients of its own namespace and zone',
  'workload-owner': 'a workload-owner policy is for the proxies of its own namespace and zone',
  system: 'a policy of the system namespace, or of a zone without namespaces, is for its own zone',
};

function acrossByRole(resource: Resource, to: Side): Verdict {
  const role = roles.find((one) => one === resource.labels[labelNames.role]);
  if (role === undefined) return stays(`the label ${labelNames.role} does not say that a producer wrote it`);
  if (role !== 'producer') return stays(whyNot[role]);
  const references = referencesOf(resource);
  if (references.some(({ kind, at }) => kind === 'MeshExternalService' && at !== 'top'))
    return stays('it refers to a MeshExternalService, and so to the egress of its own zone');
  const wanted = wantedZone(references);
  if (wanted !== undefined && !holds(wanted, to.zone!))
    return stays(`its targetRef is for proxies with kuma.io/zone ${JSON.stringify(wanted)}`);
  return goes('a producer policy is for the clients in all zones', role);
}

/** The zone that the proxies at its top are in, as far as it says one. */
function wantedZone(references: ReturnType<typeof referencesOf>): string | undefined {
  const tags = references.find(({ at }) => at === 'top')?.ref['tags'];
  const zone = isFields(tags) ? tags[labelNames.zone] : undefined;
  return typeof zone === 'string' ? zone : undefined;
}

function holds(wanted: string, zone: string): boolean {
  return wanted.startsWith('!') ? wanted.slice(1) !== zone : wanted === zone;
}
