import type { Reason } from './model/decision.ts';
import type { Inventory } from './model/inventory.ts';
import { normalisePath } from './model/path.ts';
import type { Channel, Request } from './model/request.ts';
import { keys, type Side } from './model/rule.ts';
import { spiffeIdFault } from './model/spiffe-id.ts';
import type { Trust } from './model/trust.ts';
import { Origins } from './origins.ts';
import type { Seen } from './seen.ts';
import { type Targets, targetsOf } from './targets.ts';
import { type DestinationView, destinationView } from './view-destination.ts';
import { fromNowhere, fromRequest, SourceView } from './view-source.ts';

/** Everything that conditions can ask of one request, as text; read anew for each question. */
export interface View {
  /** Whether MeshTrafficPermissions govern here. */
  readonly inbound: boolean;
  /** Whether AccessPolicies allow here, or only deny (SPEC DST2). */
  readonly full: boolean;
  readonly siteFloor: Trust;
  readonly ambiguousPath: boolean;
  /** Given where several inbounds may be meant. */
  readonly sections: readonly string[] | undefined;
  /** Whether a request is to show method and path here (SPEC DST6). */
  readonly speaksHttp: boolean;
  see(side: Side, key: string): Seen;
  /** Whether a value of this key could come from this source (SPEC SRC8). */
  mayBeSet(key: string): boolean;
}

/** A denial before any rule (SPEC TIER4). */
export interface Guard {
  readonly guard: Reason;
  readonly keys?: readonly string[];
}

/** `incomplete` goes on where a request without method or path is denied. */
export function viewOf(
  request: Request,
  inventory: Inventory,
  channel: Channel,
  incomplete: 'refused' | 'seen' = 'refused',
): View | Guard {
  const { targets, origins } = surroundingsOf(inventory);
  const destination = destinationView(request.destination, targets, channel);
  if (destination === undefined) return { guard: 'unknown-destination' };
  const id = request.source?.spiffeId;
  if (id !== undefined && spiffeIdFault(id) !== undefined) return { guard: 'invalid-source' };
  const source = new SourceView(request.source, origins, channel);
  if (!source.identified && destination.target?.inbound) return { guard: 'unidentified' };
  if (source.conflicts.length > 0) return { guard: 'conflict', keys: source.conflicts };
  const { method, path } = request.request ?? {};
  const speaksHttp = destination.target?.protocol === 'http';
  if (speaksHttp && incomplete === 'refused' && (method === undefined || path === undefined)) {
    return { guard: 'incomplete-request' };
  }
  return {
    inbound: destination.target?.inbound === true,
    full: destination.target?.full ?? true,
    siteFloor: inventory.site.floor,
    ambiguousPath:
      path !== undefined && destination.target?.protocol !== 'tcp' && normalisePath(path) === undefined,
    sections: destination.target?.sections,
    speaksHttp,
    see: (side, key) => {
      if (side === 'source') return source.see(key);
      return side === 'destination' ? destination.see(key) : seePart(key, request, destination);
    },
    mayBeSet: (key) => source.mayBeSet(key),
  };
}

function seePart(key: string, request: Request, { target }: DestinationView): Seen {
  const { method, path, sni } = request.request ?? {};
  if (key === keys.sni) {
    if (sni === undefined) return { is: 'absent', from: fromRequest };
    return { is: 'value', values: [sni.toLowerCase()], from: fromRequest };
  }
  if (target?.protocol === 'tcp') return { is: 'unknown', from: fromNowhere, cause: 'layer-4' };
  if (target?.protocol === 'mixed') return { is: 'unknown', from: fromNowhere, cause: 'inbound-not-named' };
  const value = key === keys.method ? method : path === undefined ? undefined : normalisePath(path);
  if (value === undefined) return { is: 'unknown', from: fromNowhere, cause: 'not-shown' };
  return { is: 'value', values: [value], from: fromRequest };
}

interface Surroundings {
  readonly targets: Targets;
  readonly origins: Origins;
}

const known = new WeakMap<Inventory, Surroundings>();

function surroundingsOf(inventory: Inventory): Surroundings {
  let surroundings = known.get(inventory);
  if (surroundings === undefined) {
    surroundings = { targets: targetsOf(inventory), origins: new Origins(inventory) };
    known.set(inventory, surroundings);
  }
  return surroundings;
}
