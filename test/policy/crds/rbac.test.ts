import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { permissionsFor, permissionText } from '../../../src/attributes/kubernetes/permissions.ts';
import { resourcesOf } from '../../../src/policy/crds/resources.ts';
import { kinds } from '../../../src/policy/kinds/registry.ts';
import { type Rule, rbacFile, rulesOf } from '../../../tools/rbac-file.ts';

const text = rbacFile();
const role = parseAllDocuments(text)
  .map((one) => one.toJS() as { kind: string; rules?: readonly Rule[] })
  .find(({ kind }) => kind === 'ClusterRole')!;
const rules = role.rules ?? [];

test('[RBAC1] deploy/rbac.yaml is what `npm run crds` writes', () => {
  expect(readFileSync('deploy/rbac.yaml', 'utf8')).toBe(text);
});

test('[RBAC1] it allows what is asked of the server, and writes nothing', () => {
  const permissions = permissionsFor(resourcesOf(kinds));
  const given = ({ verb, group, resource, name }: (typeof permissions)[number]) =>
    rules.some(
      (rule) =>
        rule.apiGroups.includes(group) &&
        rule.resources.includes(resource) &&
        rule.verbs.includes(verb) &&
        (rule.resourceNames === undefined || rule.resourceNames.includes(name ?? '')),
    );
  expect(permissions.length).toBeGreaterThan(40);
  expect(permissions.filter((one) => !given(one)).map(permissionText)).toEqual([]);
  for (const { resources, verbs, resourceNames } of rules) {
    if (resources.includes('tokenreviews'))
      expect([resources, verbs]).toEqual([['tokenreviews'], ['create']]);
    else if (resourceNames !== undefined)
      expect([resources, verbs]).toEqual([['customresourcedefinitions'], ['get']]);
    else expect(verbs).toEqual(['list', 'watch']);
  }
  expect(text).not.toContain('*');
  expect(text).not.toContain('secrets');
});

test('[RBAC1] each rule is of one group, and no permission is left out of them', () => {
  const own = permissionsFor([
    { apiVersion: 'placet.dev/v1alpha1', kind: 'Site', plural: 'sites', namespaced: false },
  ]);
  expect(own.map(permissionText)).toEqual([
    'list pods',
    'watch pods',
    'list replicasets.apps',
    'watch replicasets.apps',
    'list sites.placet.dev',
    'watch sites.placet.dev',
    'get customresourcedefinitions.apiextensions.k8s.io sites.placet.dev',
    'create tokenreviews.authentication.k8s.io',
  ]);
  expect(() => rulesOf([{ verb: 'list', group: 'other.example', resource: 'things' }])).toThrow(
    'other.example',
  );
});
