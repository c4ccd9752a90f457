import type { Authorities } from '../../attributes/proving/proving.ts';
import { X509Verifier } from '../../attributes/x509/verifier.ts';
import { openBundles } from './bundles.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config-schema.ts';
import { type KubernetesSide, openKubernetes } from './kubernetes.ts';
import { type Pairs, pairsFor } from './tls.ts';
import { openWorkload, type WorkloadSide } from './workload.ts';

/** Who we are, whom we believe, and what a cluster says of others. */
export interface Identities {
  readonly authorities: Authorities;
  readonly workload: WorkloadSide | undefined;
  /** Undefined: nothing is encrypted. */
  readonly pairs: Pairs | undefined;
  readonly kubernetes: KubernetesSide | undefined;
}

export async function openIdentities(config: Config, closing: Closing): Promise<Identities> {
  const { bundles, files } = await openBundles(config);
  closing.add(() => files.close());
  const workload = openWorkload(config, bundles);
  closing.add(() => workload?.close());
  const pairs = await pairsFor(config, workload);
  const kubernetes = await openKubernetes(config);
  closing.add(() => kubernetes?.close());
  const authorities = { bundles, verifier: new X509Verifier(bundles), audiences: config.audiences };
  return { authorities, workload, pairs, kubernetes };
}
