import { join } from 'node:path';
import type { Recipe } from '../../programs/recipe.ts';

const version = 'v1.36.3';

export const kubeApiserver: Recipe = {
  name: 'kube-apiserver',
  module: join(import.meta.dirname, 'kube-apiserver'),
  binaries: { 'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver' },
  // It tells its version to clients, and refuses to start without one.
  ldflags: `-s -w -X k8s.io/component-base/version.gitVersion=${version}`,
};

export const etcd: Recipe = {
  name: 'etcd',
  module: join(import.meta.dirname, 'etcd'),
  binaries: { etcd: 'go.etcd.io/etcd/server/v3' },
  ldflags: '-s -w',
};
