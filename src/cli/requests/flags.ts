import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Request, RequestDestination, RequestParts, RequestSource } from '../../pdp/model/request.ts';
import { exit, Failure } from '../failure.ts';
import { pairFlag } from '../pair.ts';
import { meshMeant } from './mesh.ts';

/** What names without a mesh are looked up in. */
type Known = Pick<Inventory, 'dataplanes'>;

export interface RequestFlags {
  readonly sourceSpiffeId?: string;
  readonly sourceMesh?: string;
  readonly source?: readonly string[];
  readonly tag?: readonly string[];
  readonly incomplete?: boolean;
  readonly dataplane?: string;
  readonly inbound?: string;
  readonly route?: string;
  readonly service?: string;
  readonly to?: readonly string[];
  readonly namespace?: string;
  readonly method?: string;
  readonly path?: string;
  readonly sni?: string;
}

const names = {
  sourceSpiffeId: '--source-spiffe-id',
  sourceMesh: '--source-mesh',
  source: '--source',
  tag: '--tag',
  incomplete: '--incomplete',
  dataplane: '--dataplane',
  inbound: '--inbound',
  route: '--route',
  service: '--service',
  to: '--to',
  namespace: '--namespace',
  method: '--method',
  path: '--path',
  sni: '--sni',
} as const satisfies Record<keyof RequestFlags, string>;

/** The flags given that describe a request, as they are written. */
export function requestFlagsGiven(flags: RequestFlags): string[] {
  return Object.entries(names)
    .filter(([key]) => flags[key as keyof RequestFlags] !== undefined)
    .map(([, name]) => name);
}

function attributes(flag: string, texts: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of texts) {
    const [key, value] = pairFlag(flag, text);
    if (values.has(key)) {
      throw new Failure(
        exit.usage,
        `${flag} ${key}: given twice`,
        'an attribute has one value; tags may have several',
      );
    }
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

function tags(texts: readonly string[]): Record<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const text of texts) {
    const [key, value] = pairFlag(names.tag, text);
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return Object.fromEntries(values);
}

function sourceOf(flags: RequestFlags): RequestSource | undefined {
  const source = {
    ...(flags.sourceSpiffeId !== undefined && { spiffeId: flags.sourceSpiffeId }),
    ...(flags.sourceMesh !== undefined && { mesh: flags.sourceMesh }),
    ...(flags.tag && { tags: tags(flags.tag) }),
    ...(flags.source && { attributes: attributes(names.source, flags.source) }),
    ...(flags.incomplete === true && { complete: false }),
  };
  return Object.keys(source).length > 0 ? source : undefined;
}

function destinationOf(flags: RequestFlags, known: Known): RequestDestination {
  const kinds = (['dataplane', 'service', 'to'] as const).filter((kind) => flags[kind] !== undefined);
  if (kinds.length !== 1 && !(kinds.length === 0 && flags.namespace !== undefined)) {
    throw new Failure(
      exit.usage,
      kinds.length === 0
        ? 'the request has no destination'
        : `the request has several destinations: ${kinds.map((kind) => names[kind]).join(', ')}`,
      'give one of --dataplane mesh/name, --service namespace/name, --to key=value',
    );
  }
  for (const part of ['inbound', 'route'] as const) {
    if (flags[part] === undefined || flags.dataplane !== undefined) continue;
    const which = part === 'inbound' ? 'an inbound of a dataplane' : 'a route of an inbound of a dataplane';
    throw new Failure(exit.usage, `${names[part]} is ${which}`, 'give --dataplane mesh/name too');
  }
  const namespace = flags.namespace === undefined ? {} : { namespace: flags.namespace };
  if (flags.dataplane !== undefined) {
    const slash = flags.dataplane.indexOf('/');
    const dataplane = flags.dataplane.slice(slash + 1);
    const mesh = slash < 0 ? meshMeant(known, dataplane, flags.namespace) : flags.dataplane.slice(0, slash);
    return {
      ...(mesh !== undefined && { mesh }),
      dataplane,
      ...(flags.inbound !== undefined && { inbound: flags.inbound }),
      ...(flags.route !== undefined && { route: flags.route }),
      ...namespace,
    };
  }
  if (flags.service !== undefined) return { service: flags.service, ...namespace };
  return { attributes: attributes(names.to, flags.to ?? []), ...namespace };
}

export function requestFromFlags(flags: RequestFlags, known: Known): Request {
  const source = sourceOf(flags);
  const request: RequestParts = {
    ...(flags.method !== undefined && { method: flags.method }),
    ...(flags.path !== undefined && { path: flags.path }),
    ...(flags.sni !== undefined && { sni: flags.sni }),
  };
  return {
    ...(source && { source }),
    destination: destinationOf(flags, known),
    ...(Object.keys(request).length > 0 && { request }),
  };
}
