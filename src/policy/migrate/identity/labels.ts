/** Labels of a dataplane that its SPIFFE ID is made of. */
export const serviceAccountLabel = 'k8s.kuma.io/service-account';
export const workloadLabel = 'kuma.io/workload';
export const environmentLabel = 'kuma.io/env';
