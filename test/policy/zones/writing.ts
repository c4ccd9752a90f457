/** Policies as their owners write them, in few words. */

export const policy = (
  namespace: string | undefined,
  spec: object,
  kind = 'MeshTimeout',
  labels: object = {},
) =>
  JSON.stringify({
    apiVersion: 'kuma.io/v1alpha1',
    kind,
    metadata: { name: 'p', ...(namespace === undefined ? {} : { namespace }), labels },
    spec,
  });

export const to = (...refs: object[]) => ({ to: refs.map((targetRef) => ({ targetRef, default: {} })) });
export const service = (namespace?: string) => ({
  kind: 'MeshService',
  name: 'backend',
  ...(namespace === undefined ? {} : { namespace }),
});
