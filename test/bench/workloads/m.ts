import { attributesRequest } from './a.ts';
import { type AccessRule, type AccessShape, accessRule, satisfy } from './access.ts';
import { listPolicy, type PathPolicy, pathPolicies, paths } from './mesh.ts';
import { type Random, seeded } from './random.ts';
import type { PlainDataplane, Workload } from './types.ts';
import { growing, service, sourceAttributes } from './universe.ts';

/**
 * M: A mixed: 10 % of the AccessPolicies with NotIn, Exists or DoesNotExist, 5 % with a shadow effect, 5 % with a
 * trust floor; 10 % of all rules are matchers with a path or a method; one list of 200 tag items. Three requests
 * in ten ask for a dataplane's inbound, where all of these meet.
 */
const listItems = 200;
const inboundShare = 0.3;

export function m(size: number, requests: number): Workload {
  const random = seeded(4_000 + size);
  const universe = growing(size);
  const shape: AccessShape = { universe, conditions: [1, 4], operators: 0.1, shadows: 0.05, floors: 0.05 };
  const dataplanes: PlainDataplane[] = [];
  for (let i = 0; i < Math.max(10, Math.floor(size / 20)); i++) {
    const { name, namespace, app, tier } = service(universe, i);
    dataplanes.push({
      name: `${name}-dp`,
      mesh: 'default',
      labels: { app, tier, 'k8s.kuma.io/namespace': namespace },
      inbound: { name: 'http', port: 8080, tags: { 'kuma.io/service': name } },
    });
  }
  const matchers = Math.floor(size / 10);
  const list = listPolicy(random, Math.min(listItems, Math.floor(size / 10)));
  const routes = pathPolicies(random, universe, dataplanes, matchers);
  const access: AccessRule[] = [];
  for (let i = 0; i < size - matchers - list.rules.length; i++) access.push(accessRule(random, shape, i));

  const documents: object[] = [
    { type: 'Mesh', name: 'default', accessPolicies: 'full', trustDomains: ['td.example'] },
    ...dataplanes.map(({ name, mesh, labels, inbound }) => ({
      type: 'Dataplane',
      mesh,
      name,
      labels,
      inbounds: [{ ...inbound, protocol: 'http' }],
    })),
    list.document,
    ...routes.map((one) => one.document),
    ...access.map((one) => one.document),
  ];
  const rules = [...list.rules, ...routes.flatMap((one) => one.rules), ...access.map((one) => one.rule)];
  const text = (): string =>
    JSON.stringify(
      random.chance(inboundShare)
        ? inboundRequest(random, universe, dataplanes, routes, access)
        : vary(random, attributesRequest(random, shape, access)),
    );
  return {
    name: 'M',
    size: rules.length,
    documents,
    rules,
    dataplanes,
    requests: Array.from({ length: requests }, text),
  };
}

/**
 * Labels that only few carry, and values that are only reported, which a floor of `observed` does not take; not
 * of namespace and account, which the SPIFFE ID attests.
 */
function vary(random: Random, request: { source: { attributes: Record<string, string> } }): object {
  const attributes: Record<string, string | { value: string; trust: string }> = {
    ...request.source.attributes,
  };
  if (random.chance(0.1)) attributes['k8s:label:canary'] = 'true';
  if (random.chance(0.1)) attributes['k8s:label:quarantine'] = 'true';
  if (random.chance(0.3)) {
    const key = random.pick(Object.keys(attributes).filter((one) => one !== 'k8s:ns' && one !== 'k8s:sa'));
    attributes[key] = { value: request.source.attributes[key] ?? 'true', trust: 'reported' };
  }
  return { ...request, source: { ...request.source, attributes } };
}

function inboundRequest(
  random: Random,
  universe: ReturnType<typeof growing>,
  dataplanes: readonly PlainDataplane[],
  routes: readonly PathPolicy[],
  access: readonly AccessRule[],
): object {
  const attributes = sourceAttributes(random, universe);
  let dataplane = random.pick(dataplanes);
  let spiffe = { ns: attributes['k8s:ns']!, sa: attributes['k8s:sa']! };
  let method = random.pick(['GET', 'GET', 'POST', 'DELETE']);
  let path = `${random.pick(paths)}/${random.int(1_000)}`;
  const kind = random.next();
  if (kind < 0.5) {
    const hit = random.pick(random.pick(routes).hits);
    dataplane = hit.dataplane;
    spiffe = { ns: hit.namespace, sa: hit.account };
    method = hit.method ?? method;
    path = hit.path ?? path;
  } else if (kind < 0.8) {
    const fitting = random.pick(access);
    dataplane =
      dataplanes.find((one) => one.inbound.tags['kuma.io/service'] === fitting.target.name) ?? dataplane;
    satisfy(random, attributes, fitting.rule);
    spiffe = { ns: attributes['k8s:ns']!, sa: attributes['k8s:sa']! };
  }
  attributes['k8s:ns'] = spiffe.ns;
  attributes['k8s:sa'] = spiffe.sa;
  const request = {
    source: {
      spiffeId: `spiffe://td.example/ns/${spiffe.ns}/sa/${spiffe.sa}`,
      mesh: 'default',
      tags: { 'kuma.io/service': `client-${random.int(400)}`, version: `v${random.int(5)}` },
      attributes,
    },
    destination: { mesh: 'default', dataplane: dataplane.name, inbound: 'http' },
    request: { method, path },
  };
  return vary(random, request);
}
