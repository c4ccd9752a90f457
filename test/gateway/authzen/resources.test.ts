import { expect, test } from 'vitest';
import { resourcesOf } from '../../../src/gateway/authzen/resource.ts';
import { snapshotOf } from './world.ts';

const things = `
type: Dataplane
mesh: default
name: web
labels: {k8s.kuma.io/namespace: shop, app: web}
networking:
  inbound:
    - {name: http, port: 8080, tags: {kuma.io/service: web}}
    - {port: 9090, tags: {kuma.io/service: web-admin}}
---
type: Dataplane
mesh: default
name: pay
networking: {inbound: [{port: 80, tags: {kuma.io/service: pay}}]}
---
type: Service
namespace: shop
name: db
spec: {attributes: {"thing:id": t}}
`;
const site = '---\ntype: Site\nname: here\nspec: {local: true, location: eu/nl}\n';
const { inventory } = snapshotOf(things + site).snapshot;

function found(type: string, properties: Record<string, unknown>, from = inventory): readonly string[] {
  const all = [...resourcesOf({ type, properties }, from, undefined)];
  return all.filter(({ has }) => has).map(({ id }) => id);
}

const [http, admin, pay] = ['default/web/http', 'default/web/9090', 'default/pay/80'];

test.each([
  [{ 'k8s:ns': 'shop' }, [admin, http]],
  [{ 'k8s:label:app': 'web' }, [admin, http]],
  [{ 'service:name': 'web' }, [http]],
  [{ 'service:name': 'web-admin', 'k8s:ns': 'shop' }, [admin]],
  [{ 'kuma:tag:kuma.io/service': 'pay' }, [pay]],
  [{ 'site:name': 'here', 'service:name': 'pay' }, [pay]],
  [{ 'site:location': 'eu/nl' }, [pay, admin, http]],
  [{ 'site:name': 'there' }, []],
  [{ 'k8s:ns': 'there' }, []],
])('[AZ31] [DST3] inbounds are searched by what decisions see of them: %j', (properties, ids) => {
  expect(found('dataplane', properties)).toEqual(ids);
});

test('[AZ31] [DST3] services too, with what is of the site', () => {
  for (const properties of [{ 'site:name': 'here' }, { 'site:location': 'eu/nl' }, { 'k8s:ns': 'shop' }])
    expect(found('service', properties)).toEqual(['shop/db']);
  expect(found('service', { 'site:name': 'there' })).toEqual([]);
});

test('[AZ31] [AZ26] what is given outright is at no site that is known, nor is anything without a Site', () => {
  expect(found('thing', { 'service:name': 'db' })).toEqual(['t']);
  expect(found('thing', { 'site:name': 'here' })).toEqual([]);
  const siteless = snapshotOf(things).snapshot.inventory;
  for (const type of ['dataplane', 'service'])
    expect(found(type, { 'site:name': 'here' }, siteless)).toEqual([]);
});
