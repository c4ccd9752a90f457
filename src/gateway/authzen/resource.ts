import type { Inventory, Service } from '../../pdp/model/inventory.ts';
import { isServiceName } from '../../pdp/model/read-request.ts';
import type { RequestDestination, RequestParts, Stated } from '../../pdp/model/request.ts';
import { keys } from '../../pdp/model/rule.ts';
import { violation } from '../../policy/schema/issues.ts';
import { Refused } from '../http/problem.ts';
import { attributesOf } from './attributes.ts';
import { entitiesOf } from './entities.ts';
import { firstAfter } from './subject.ts';
import type { Action, Entity, Properties, Sought } from './types.ts';

export interface Resource {
  /** Not given: there is no such resource. */
  readonly destination?: RequestDestination;
  readonly request: RequestParts;
}

interface Asked {
  readonly resource: Entity;
  readonly action: Action;
  readonly context?: Properties | undefined;
}

/** What is asked for, as `decide` takes it (SPEC AZ24, AZ25). */
export function resourceOf(asked: Asked, inventory: Inventory): Resource {
  const { type, id } = asked.resource;
  const request = partsOf(asked);
  if (type === 'service') return { ...(isServiceName(id) ? { destination: { service: id } } : {}), request };
  if (type !== 'dataplane') return { destination: attributesFor(asked, inventory), request };
  const [mesh, dataplane, inbound, ...more] = id.split('/');
  if (!mesh || !dataplane || inbound === '' || more.length > 0) return { request };
  const route = textIn(asked.resource.properties, 'route', ['resource', 'properties']);
  return {
    destination: {
      mesh,
      dataplane,
      ...(inbound === undefined ? {} : { inbound }),
      ...(route === undefined ? {} : { route }),
    },
    request,
  };
}

function partsOf({ action, resource, context }: Asked): RequestParts {
  const part = (name: 'path' | 'sni') =>
    textIn(context, name, ['context']) ?? textIn(resource.properties, name, ['resource', 'properties']);
  const [path, sni] = [part('path'), part('sni')];
  return {
    method: action.name,
    ...(path === undefined ? {} : { path }),
    ...(sni === undefined ? {} : { sni }),
  };
}

function textIn(properties: Properties | undefined, name: string, at: readonly string[]): string | undefined {
  const value = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  const message = `got ${JSON.stringify(value).slice(0, 60)}, want a string`;
  throw new Refused({
    status: 400,
    title: 'a part of the request that cannot be read',
    violations: [violation([...at, name], 'type', message)],
  });
}

/**
 * Of a type that policies name by attributes. Which resource it is and what is to be done with it has no trust, as a
 * method has none; what the inventory knows of it is configured; the rest is as good as the caller.
 */
function attributesFor({ resource, action, context }: Asked, inventory: Inventory): RequestDestination {
  const { type, id, properties } = resource;
  const found = entitiesOf(inventory).resources(type).get(id);
  const attributes = new Map<string, Stated>([
    ...attributesOf('context', context, ['context']),
    ...attributesOf(type, properties, ['resource', 'properties']),
  ]);
  for (const key of attributes.keys()) if (isOfAction(key)) attributes.delete(key);
  const certain: [string, string][] = [];
  for (const [key, value] of attributesOf('action', action.properties, ['action', 'properties'])) {
    if (isOfAction(key)) certain.push([key, value]);
    else attributes.set(key, value);
  }
  certain.push(['action:name', action.name], ...agreed(found), [`${type}:id`, id]);
  for (const [key, value] of certain) attributes.set(key, { value, trust: 'configured' });
  return {
    attributes: Object.fromEntries(attributes) as NonNullable<RequestDestination['attributes']>,
    complete: found.length <= 1,
  };
}

function isOfAction(key: string): boolean {
  return key.startsWith('action:');
}

/** Where several services are one resource, what they differ in is not known. */
function agreed(services: readonly Service[]): [string, string][] {
  const [first, ...others] = services;
  return [...(first?.attributes ?? [])].filter(([key, value]) =>
    others.every(({ attributes }) => attributes.get(key) === value),
  );
}

/** IDs of a type, in order, of those that have the properties which the search names (SPEC AZ32). */
export function* resourcesOf({ type, properties }: Sought, inventory: Inventory, after: string | undefined) {
  const entities = entitiesOf(inventory);
  const ids = type === 'dataplane' ? entities.inbounds : entities.resources(type).ids;
  const { path: _path, sni: _sni, route: _route, ...others } = properties ?? {};
  const wanted = attributesOf(type, others, ['resource', 'properties']);
  for (let i = firstAfter(ids, after); i < ids.length; i++) {
    const id = ids[i] as string;
    const known = wanted.size === 0 ? undefined : new Map(knownOf(type, id, inventory));
    yield { id, has: [...wanted].every(([key, value]) => known?.get(key) === value) };
  }
}

function knownOf(type: string, id: string, inventory: Inventory): Iterable<[string, string]> {
  if (type !== 'dataplane') return agreed(entitiesOf(inventory).resources(type).get(id));
  const { labels } = inventory.dataplanes.get(id.slice(0, id.lastIndexOf('/'))) ?? {};
  return [...(labels ?? [])].map(([label, value]) => [keys.k8sLabel + label, value]);
}
