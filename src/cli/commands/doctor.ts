import { type Api, connect } from '../../attributes/kubernetes/client.ts';
import { messageOf } from '../../pdp/model/text.ts';
import { resourcesOf } from '../../policy/crds/resources.ts';
import { shippedKinds } from '../../policy/files.ts';
import { descriptionsIn } from '../../policy/kinds/descriptions.ts';
import { withDescribed } from '../../policy/kinds/registry.ts';
import { checkBundles, checkWorkloadApi } from '../doctor/bundles.ts';
import { checkCluster } from '../doctor/cluster.ts';
import { checkClusterPolicies } from '../doctor/cluster-policies.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkPolicies } from '../doctor/policies.ts';
import { exit, Failure } from '../failure.ts';
import { type PolicySet, readSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { endpointOf } from '../whois/workload-api.ts';

export interface DoctorFlags {
  readonly policies?: readonly string[];
  readonly bundle?: readonly string[];
  /** Where it is; true: where the environment says. */
  readonly workloadApi?: string | true;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: boolean;
  readonly json?: boolean;
}

export async function doctor(terminal: Terminal, flags: DoctorFlags): Promise<number> {
  const { policies, bundle, workloadApi, kubeconfig, context, cluster } = flags;
  const asksCluster = kubeconfig !== undefined || context !== undefined || cluster === true;
  if (policies === undefined && bundle === undefined && workloadApi === undefined && !asksCluster)
    throw new Failure(
      exit.usage,
      'nothing was named to look at',
      'name some of --policies <path>, --bundle <trust-domain>=<file>, --workload-api, --kubeconfig <file>, --cluster',
    );
  const set = policies === undefined ? undefined : readSet(policies);
  const findings: Finding[] = [
    ...(set === undefined ? [] : checkPolicies(set)),
    ...checkBundles(bundle ?? [], Date.now()),
  ];
  const endpoint = workloadApi === undefined ? undefined : endpointOf({ workloadApi }, process.env);
  if (endpoint !== undefined) findings.push(...(await checkWorkloadApi(endpoint, Date.now)));
  if (asksCluster) findings.push(...(await lookAtCluster(flags, set)));
  const failed = findings.filter(({ outcome }) => outcome === 'fail').length;
  const warnings = findings.filter(({ outcome }) => outcome === 'warn').length;
  if (flags.json) await terminal.out.line(toJson({ checks: findings, failed, warnings }));
  else await terminal.out.line(text(findings, failed, warnings, terminal).join('\n'));
  return failed > 0 ? exit.problems : exit.ok;
}

async function lookAtCluster(
  { kubeconfig, context }: DoctorFlags,
  set?: PolicySet,
): Promise<readonly Finding[]> {
  let api: Api;
  try {
    api = await connect({ kubeconfig, context });
  } catch (error) {
    const says = messageOf(error);
    const todo = 'name a kubeconfig that can be read';
    return [{ check: 'API server', outcome: 'fail', says, todo }];
  }
  const documents = set?.documents ?? [];
  const kinds = withDescribed(descriptionsIn(shippedKinds(), documents).values());
  const looked = await checkCluster(api, resourcesOf(kinds));
  return [...looked.findings, ...(await checkClusterPolicies(api, looked.kinds, documents))];
}

function text(
  findings: readonly Finding[],
  failed: number,
  warnings: number,
  { out }: Terminal,
): readonly string[] {
  const paint = palette(out);
  const colours = { ok: paint.green, warn: paint.yellow, fail: paint.red };
  const rows = findings.flatMap(({ check, outcome, says, todo }) => [
    [printable(check), colours[outcome](outcome), printable(says)],
    ...(todo === undefined ? [] : [['', '', `-> ${printable(todo)}`]]),
  ]);
  const columns = [{ title: 'CHECK' }, { title: 'STATE' }, { title: 'WHAT', flexible: true }];
  const good = findings.length - failed - warnings;
  const summary = `${failed} failed, ${warnings} to look at, ${good} good`;
  return [...table(columns, rows, out.columns), '', failed > 0 ? paint.red(summary) : summary];
}
