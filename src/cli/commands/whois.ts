import type { Checked } from '../../attributes/evidence.ts';
import { type Identified, identify, requestSource, type Seen } from '../../attributes/identify.ts';
import type { ServiceAccount } from '../../attributes/jwt/service-account.ts';
import { ClusterSource } from '../../attributes/kubernetes/cluster.ts';
import { TokenReviewer } from '../../attributes/kubernetes/token-review.ts';
import { openCluster } from '../cluster.ts';
import { exit, Failure } from '../failure.ts';
import { knownOf } from '../known.ts';
import { readSet, soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { type EvidenceFlags, prove, readBundles, tokenOf } from '../whois/evidence.ts';
import { askWorkloadApi, type Refused } from '../whois/workload-api.ts';

export interface WhoisFlags extends EvidenceFlags {
  readonly policies?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly json?: boolean;
}

export async function whois(terminal: Terminal, flags: WhoisFlags): Promise<number> {
  const { cert, jwt, ip, serviceAccount } = flags;
  if ([cert, jwt, ip, serviceAccount].every((one) => one === undefined))
    throw new Failure(
      exit.usage,
      'no evidence was given',
      'hand over --cert <file>, --jwt <token>, --service-account <token> or --ip <address>',
    );
  const set = flags.policies === undefined ? readSet([]) : await soundSet(flags.policies, terminal);
  const { inventory } = set.loaded;
  const bundles = readBundles(flags.bundle ?? []);
  const unsound = await askWorkloadApi(flags, bundles, process.env);
  const { proof, refused: evidence, conflicts } = await prove(flags, bundles, inventory.meshes);
  const account = await review(flags);
  const refused = [
    ...evidence,
    ...(account === undefined || account.ok
      ? []
      : [{ evidence: 'service account token', refusal: account.refusal }]),
    ...unsound,
  ];
  const cluster = await clusterOf(flags);
  const proved = account?.ok === true ? { ...proof, account: account.value } : proof;
  const known = identify(proved, {
    ...knownOf(inventory),
    ...(cluster === undefined ? {} : { cluster }),
  });
  const found = { ...known, conflicts: [...conflicts, ...known.conflicts] };
  const { out } = terminal;
  if (flags.json) await out.line(toJson({ ...found, source: requestSource(found), refused }));
  else {
    await out.line(text(found, refused, terminal).join('\n'));
    if (flags.ip !== undefined && cluster === undefined)
      await out.line('\nwho has an address only a cluster can say: --kubeconfig <file>');
  }
  return refused.length > 0 || found.conflicts.length > 0 ? exit.problems : exit.ok;
}

async function review(flags: WhoisFlags): Promise<Checked<ServiceAccount> | undefined> {
  const { serviceAccount, kubeconfig, context, audience } = flags;
  if (serviceAccount === undefined) return undefined;
  if (kubeconfig === undefined && context === undefined)
    throw new Failure(exit.usage, 'no cluster was named to review the token', 'name it: --kubeconfig <file>');
  if (audience === undefined)
    throw new Failure(exit.usage, 'no audience was named', 'say for whom the token is: --audience <name>');
  const reviewer = new TokenReviewer(await openCluster({ kubeconfig, context }), { audiences: audience });
  return await reviewer.verify(tokenOf(serviceAccount));
}

const patience = 30_000;

/** The cluster as it is now; this command does not follow it. */
async function clusterOf({ kubeconfig, context }: WhoisFlags) {
  if (kubeconfig === undefined && context === undefined) return undefined;
  const source = new ClusterSource(await openCluster({ kubeconfig, context }));
  const end = performance.now() + patience;
  void source.run();
  try {
    while (source.age() === undefined) {
      const errors = source.status.flatMap(({ error }) => error ?? []);
      if (performance.now() > end || errors.length > 0)
        throw new Failure(exit.problems, `the cluster cannot be read: ${errors[0] ?? 'it does not answer'}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return source.view();
  } finally {
    source.close();
  }
}

function text(found: Identified, refused: readonly Refused[], { out }: Terminal): readonly string[] {
  const paint = palette(out);
  const lines: string[] = [];
  const row = ({ key, value, pods, source, trust, since }: Seen): string[] => [
    printable(key),
    printable(value ?? (pods === undefined ? 'not known' : `not known: ${pods.join(', ')} differ`)),
    trust,
    since === undefined ? '-' : age(since),
    printable(source),
  ];
  const columns = [
    { title: 'KEY' },
    { title: 'VALUE', flexible: true },
    { title: 'TRUST' },
    { title: 'AGE' },
    { title: 'SOURCE' },
  ];
  if (found.tags !== undefined) {
    const { mesh, tags } = found.tags;
    lines.push(paint.bold(printable(`a client of the tag mesh ${mesh}`)));
    for (const [tag, value] of Object.entries(tags))
      lines.push(printable(`  ${tag}=${[value].flat().join(', ')}`));
    lines.push('');
  }
  if (found.values.length > 0) lines.push(...table(columns, found.values.map(row), out.columns));
  else if (found.tags === undefined) lines.push('nothing is known of whoever this is');
  const prefixes = Object.entries(found.complete).map(([prefix, trust]) => `${prefix} (${trust})`);
  if (prefixes.length > 0) lines.push('', paint.dim(`all there is to know below ${prefixes.join(', ')}`));
  if (found.outranked.length > 0)
    lines.push('', paint.bold('said too, by less'), ...table(columns, found.outranked.map(row), out.columns));
  for (const { key, values } of found.conflicts) {
    const said = values.map(({ value, source }) => `${value ?? 'not known'} (${source})`);
    lines.push('', paint.red(printable(`conflict on ${key}: ${said.join(', ')}`)));
  }
  for (const { evidence, refusal } of refused)
    lines.push('', paint.red(printable(`the ${evidence} is refused (${refusal.code}): ${refusal.message}`)));
  return lines;
}

function age(since: number): string {
  return `${Math.max(0, Math.round((Date.now() - since) / 1000))} s`;
}
