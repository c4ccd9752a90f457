import type { Inventory, Service } from '../../pdp/model/inventory.ts';
import { isServiceName } from '../../pdp/model/read-request.ts';
import type { RequestDestination, RequestParts, Stated } from '../../pdp/model/request.ts';
import { inboundValues, serviceValues, type Target } from '../../pdp/targets.ts';
import { findInbound } from '../../policy/inspect/layout.ts';
import { violation } from '../../policy/schema/issues.ts';
import { Refused } from '../http/problem.ts';
import { Attributes, attributesOf, checkValue } from './attributes.ts';
import { entitiesOf } from './entities.ts';
import { firstAfter } from './subject.ts';
import type { Action, Entity, Properties, Sought } from './types.ts';

export interface Resource {
  /** Not given: there is no such resource. */
  readonly destination?: RequestDestination;
  readonly request: RequestParts;
}

/** All that is asked but for which resource it is and what is to be done with it. */
interface Asked {
  readonly resource: Sought;
  readonly action?: Pick<Action, 'properties'>;
  readonly context?: Properties | undefined;
}

type ResourceNamed = (id: string, action: string) => Resource;

/** What is asked for, as `decide` takes it (SPEC AZ25, AZ26). */
export function resourceOf(
  asked: Asked & { readonly resource: Entity; readonly action: Action },
  inventory: Inventory,
): Resource {
  return resourcesFor(asked, inventory)(asked.resource.id, asked.action.name);
}

/** The same of many: what does not differ between them is read once. */
export function resourcesFor(asked: Asked, inventory: Inventory): ResourceNamed {
  const { type, properties } = asked.resource;
  const parts = partsOf(asked);
  if (type === 'service')
    return (service, method) => ({
      ...(isServiceName(service) ? { destination: { service } } : {}),
      request: { method, ...parts },
    });
  if (type !== 'dataplane') {
    const destinationOf = attributesFor(asked, inventory);
    return (id, method) => ({ destination: destinationOf(id, method), request: { method, ...parts } });
  }
  const route = textIn(properties, 'route', ['resource', 'properties']);
  return (id, method) => {
    const destination = inboundOf(id, route);
    return { ...(destination === undefined ? {} : { destination }), request: { method, ...parts } };
  };
}

function inboundOf(id: string, route: string | undefined): RequestDestination | undefined {
  const [mesh, dataplane, inbound, ...more] = id.split('/');
  if (!mesh || !dataplane || inbound === '' || more.length > 0) return undefined;
  return {
    mesh,
    dataplane,
    ...(inbound === undefined ? {} : { inbound }),
    ...(route === undefined ? {} : { route }),
  };
}

function partsOf({ resource, context }: Asked): RequestParts {
  const part = (name: 'path' | 'sni') =>
    textIn(context, name, ['context']) ?? textIn(resource.properties, name, ['resource', 'properties']);
  const [path, sni] = [part('path'), part('sni')];
  return { ...(path === undefined ? {} : { path }), ...(sni === undefined ? {} : { sni }) };
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
function attributesFor(
  { resource: { type, properties }, action, context }: Asked,
  inventory: Inventory,
): (id: string, action: string) => RequestDestination {
  const stated = new Attributes();
  stated.add(type, properties, ['resource', 'properties']);
  stated.add('context', context, ['context']);
  for (const key of stated.all.keys()) if (isOfAction(key)) stated.all.delete(key);
  const ofAction: [string, string][] = [];
  for (const [key, value] of attributesOf('action', action?.properties, ['action', 'properties'])) {
    if (isOfAction(key)) ofAction.push([key, value]);
    else stated.set(key, value, ['action', 'properties', key]);
  }
  const resources = entitiesOf(inventory).resources(type);
  return (id, name) => {
    checkValue(stated.all, `${type}:id`, id, ['resource', 'id']);
    const found = resources.get(id);
    const attributes = new Map<string, Stated>(stated.all);
    const certain = [...ofAction, ['action:name', name], ...agreed(found), [`${type}:id`, id]] as const;
    for (const [key, value] of certain) attributes.set(key, { value, trust: 'configured' });
    return {
      attributes: Object.fromEntries(attributes) as NonNullable<RequestDestination['attributes']>,
      complete: found.length <= 1,
    };
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
    const known = wanted.size === 0 ? undefined : knownOf(type, id, inventory);
    yield { id, has: [...wanted].every(([key, value]) => [known?.get(key)].flat().includes(value)) };
  }
}

/** What `decide` sees of it: to a resource of another type the site is as unknown as to its decision (SPEC AZ26). */
function knownOf(type: string, id: string, inventory: Inventory): Target['values'] {
  if (type === 'service') {
    const service = inventory.services.get(id);
    return service === undefined ? new Map() : serviceValues(service, inventory);
  }
  if (type !== 'dataplane') return new Map(agreed(entitiesOf(inventory).resources(type).get(id)));
  const slash = id.lastIndexOf('/');
  const dataplane = inventory.dataplanes.get(id.slice(0, slash));
  if (dataplane === undefined) return new Map();
  const inbound = findInbound(dataplane, id.slice(slash + 1));
  return inbound === undefined ? new Map() : inboundValues(dataplane, inbound, inventory);
}
