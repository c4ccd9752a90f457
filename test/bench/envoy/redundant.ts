/**
 * What grows in a mesh over the years: a namespace let in whole and then account by account, the same account by
 * several policies, methods and paths one by one. A third of it says nothing that the rest does not say.
 */
export function redundant(): readonly object[] {
  const prefix = (namespace: number) => `spiffe://td.example/ns/ns-${namespace}/`;
  const documents: object[] = [
    { type: 'Mesh', name: 'default', trustDomains: ['td.example'] },
    {
      type: 'Dataplane',
      mesh: 'default',
      name: 'backend-0',
      inbounds: [{ name: 'http', port: 8080, protocol: 'http' }],
    },
  ];
  for (let team = 0; team < 40; team++) {
    const whole = { spiffeID: { type: 'Prefix', value: prefix(team) } };
    const accounts = Array.from({ length: 12 }, (_, i) => ({
      spiffeID: { type: 'Exact', value: `${prefix(team + (i % 3 === 0 ? 0 : 40))}sa/sa-${i % 8}` },
    }));
    const methods = ['GET', 'HEAD', 'POST'].map((method) => ({
      spiffeID: { type: 'Exact', value: `${prefix(team + 80)}sa/reader` },
      path: { type: 'PathPrefix', value: '/orders' },
      method,
    }));
    documents.push({
      type: 'MeshTrafficPermission',
      mesh: 'default',
      name: `team-${team}`,
      spec: { rules: [{ default: { allow: [whole, ...accounts, ...accounts.slice(0, 6), ...methods] } }] },
    });
  }
  return documents;
}
