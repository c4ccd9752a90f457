import { BundleFiles } from '../../attributes/bundles/files.ts';
import { Bundles } from '../../attributes/bundles/store.ts';
import { exit, Failure } from '../failure.ts';
import type { Config } from './config-schema.ts';

/** The authorities that the configuration names, kept as their files are; with one that is no good there is no start. */
export async function openBundles({
  bundles: named,
}: Config): Promise<{ bundles: Bundles; files: BundleFiles }> {
  const bundles = new Bundles();
  const files = new BundleFiles(
    Object.entries(named).map(([trustDomain, path]) => ({ trustDomain, path })),
    bundles,
  );
  await files.load();
  for (const { source, trustDomain, refusal } of bundles.status())
    if (refusal !== undefined)
      throw new Failure(exit.problems, `bundles: ${trustDomain}: ${source}: ${refusal.message}`);
  files.watch();
  return { bundles, files };
}
