import type {
  ExampleReport,
  MeshReport,
  PolicyReport,
  Report,
  Tags,
  WitnessReport,
} from '../../policy/migrate/report.ts';
import type { Output } from '../terminal/output.ts';
import { type Palette, palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { type Column, table } from '../terminal/table.ts';
import { count, wrap } from '../terminal/wrap.ts';
import type { Cleared } from './files.ts';

/** What a migration changes, for a terminal: a table of all policies, then why those that are not plain are not. */

/** Policies, clients and identities that are told of one by one, at most; --json has all. */
const most = 20;

const statuses = {
  equal: 'equal',
  'equal-for-inventory': 'equal for the inventory',
  narrower: 'narrower',
  wider: 'wider',
  different: 'narrower and wider',
  lost: 'cannot be said',
} as const;

export function showMigration(report: Report, output: Output, folder: string | undefined): string[] {
  if (report.meshes.length === 0) return ['no permissions by tags in these paths'];
  const paint = palette(output);
  return [
    ...report.meshes.flatMap((mesh) => [...showMesh(mesh, output, paint, folder), '']),
    ...showClients(report, output),
  ].slice(0, -1);
}

/** What a run does to a folder besides writing there, or leaves there of others. */
export function showCleared({ removed, others }: Cleared, output: Output): string[] {
  const say = (what: string, names: readonly string[]) => {
    if (names.length === 0) return [];
    const more = names.length > most ? `, and ${names.length - most} more` : '';
    return wrap(`${what}: ${names.slice(0, most).map(printable).join(', ')}${more}`, output.columns);
  };
  return [
    ...say('taken away, of an earlier run', removed),
    ...say('not of this run, and read with the folder', others),
  ];
}

function showMesh(mesh: MeshReport, output: Output, paint: Palette, folder: string | undefined): string[] {
  const { policies, clients, inbounds, refused } = mesh;
  const counts = `${count(clients, 'client')} at ${count(inbounds, 'inbound')}`;
  const lines = [paint.bold(`mesh ${printable(mesh.mesh)}: ${counts}`)];
  if (refused !== undefined) return [...lines, ...indent(`not compared: ${refused}`, output)];
  lines.push('', ...showTable(mesh, output), '');
  const told = policies.filter((policy) => reasonsOf(policy).length > 0);
  for (const policy of told.slice(0, most)) {
    lines.push(`${paint.bold(printable(policy.policy))}: ${statuses[policy.status]}`);
    for (const reason of reasonsOf(policy)) lines.push(...indent(reason, output));
  }
  if (told.length > most) lines.push(`and ${told.length - most} more policies; --json lists all`);
  if (told.length > 0) lines.push('');
  const { examples } = mesh.others;
  if (examples.length > 0) {
    lines.push('where no permission by tags decides');
    for (const example of examples) lines.push(...indent(sayExample(example), output));
    lines.push('');
  }
  return [...lines, ...showOutcome(mesh, paint, folder)];
}

type Counts = Pick<PolicyReport, 'enforced' | 'shadow'>;

/** The shadow verdicts stand apart where they change otherwise than the enforced ones. */
function showTable({ policies, others }: MeshReport, output: Output): string[] {
  const apart = [...policies, others].some(
    ({ enforced, shadow }) => enforced.widens !== shadow.widens || enforced.narrows !== shadow.narrows,
  );
  const columns: Column[] = [
    { title: 'policy', flexible: true },
    { title: 'verdicts' },
    { title: 'written' },
    { title: 'stay', right: true },
    { title: 'widen', right: true },
    { title: 'narrow', right: true },
    ...(apart
      ? [
          { title: 'shadow widen', right: true },
          { title: 'shadow narrow', right: true },
        ]
      : []),
  ];
  const numbers = ({ enforced: { stays, widens, narrows }, shadow }: Counts) =>
    [stays, widens, narrows, ...(apart ? [shadow.widens, shadow.narrows] : [])].map((n) =>
      n.toLocaleString('en'),
    );
  const rows = policies.map((policy) => [
    printable(policy.policy),
    statuses[policy.status],
    policy.written ? (policy.documents.length === 0 ? 'not needed' : 'yes') : 'no',
    ...numbers(policy),
  ]);
  return table(columns, [...rows, ['(no permission decides)', '', '', ...numbers(others)]], output.columns);
}

function showOutcome(mesh: MeshReport, paint: Palette, folder: string | undefined): string[] {
  const { policies } = mesh;
  const written = policies.filter((policy) => policy.written);
  const where = folder === undefined ? '' : ` to ${printable(folder)}`;
  const needless = written.filter(({ documents }) => documents.length === 0).length;
  const rest = needless === 0 ? '' : `, ${needless} not needed`;
  const said = `${written.length - needless} of ${count(policies.length, 'policy', 'policies')} written${where}${rest}`;
  const lines = [written.length === policies.length ? paint.green(said) : paint.yellow(said)];
  const left = policies.filter((policy) => !policy.written);
  if (left.some(({ status }) => status === 'narrower' || status === 'different'))
    lines.push('  --allow-narrower also writes what shuts out clients that get in now');
  if (left.some(({ status }) => status === 'wider' || status === 'different'))
    lines.push('  --allow-wider also writes what lets in clients that do not get in now');
  if (written.length > 0)
    lines.push(
      left.length === 0
        ? `  they hold from when the Mesh document "${printable(mesh.mesh)}" says certificates: spiffe`
        : '  keep the mesh on certificates by tags until the others are written by hand',
    );
  return lines;
}

function reasonsOf(policy: PolicyReport): string[] {
  const reasons = policy.reasons.map(printable);
  for (const example of policy.examples) reasons.push(sayExample(example));
  return [...reasons, ...(policy.beyond?.witnesses ?? []).map(sayWitness)];
}

const whys = {
  'unknown-id': 'nobody knows its ID',
  'shared-id': 'clients with another verdict have its ID',
  'other-policies': 'other policies than permissions by tags say so',
  'deny-beats-allow': 'deny beats allow, and no lists of these policies say it',
} as const;

function sayExample({ world, change, client, tags, spiffeId, reason, why, inbound }: ExampleReport): string {
  const now = tags === null ? 'without a certificate of the mesh' : sayTags(tags);
  const then = spiffeId === null ? '' : `, then ${printable(spiffeId)}`;
  const because = reason === undefined ? whys[why] : `${whys[why]}: ${printable(reason)}`;
  const at = sayInbound(inbound);
  return `${change}${sayWorld(world)}: ${printable(client)} (${now})${then}, at ${at}: ${because}`;
}

function sayWitness({ world, change, before, after, inbound }: WitnessReport): string {
  const [was, is] = change === 'narrows' ? ['allowed', 'denied'] : ['denied', 'allowed'];
  const client = `a client to come with ${sayTags(before.tags)} is ${was} now`;
  const then = `${printable(after.spiffeId)}${after.isNew ? '' : ', which others have'}`;
  return `${change}${sayWorld(world)}: ${client}, and ${is} then if it is ${then}, at ${sayInbound(inbound)}`;
}

function sayWorld(world: 'enforced' | 'shadow'): string {
  return world === 'shadow' ? ' in the shadow verdict' : '';
}

function sayTags(tags: Tags): string {
  const said = Object.entries(tags).flatMap(([tag, values]) =>
    [values].flat().map((value) => `${printable(tag)}=${printable(value)}`),
  );
  return said.length === 0 ? 'no tags' : said.join(', ');
}

function sayInbound({ dataplane, inbound }: ExampleReport['inbound']): string {
  return `${printable(dataplane)}:${inbound}`;
}

function showClients({ unknown, shared }: Report, output: Output): string[] {
  const lines: string[] = [];
  if (unknown.length > 0) {
    lines.push(`${count(unknown.length, 'client')} of which nobody knows the ID`);
    for (const { client, reason } of unknown.slice(0, most))
      lines.push(...indent(`${printable(client)}: ${printable(reason)}`, output));
    if (unknown.length > most) lines.push(`  and ${unknown.length - most} more; --json lists all`);
    if (unknown.some(({ reason }) => reason.includes('service account')))
      lines.push('  label a Dataplane with k8s.kuma.io/service-account, or give its Workload');
    lines.push('');
  }
  if (shared.length > 0) {
    lines.push(`${count(shared.length, 'ID')} of clients that only their tags tell apart`);
    for (const { spiffeId, carriers } of shared.slice(0, most))
      lines.push(
        ...indent(`${printable(spiffeId)}: ${carriers.slice(0, 5).map(printable).join(', ')}`, output),
      );
    if (shared.length > most) lines.push(`  and ${shared.length - most} more; --json lists all`);
    lines.push('');
  }
  return lines;
}

function indent(text: string, output: Output): string[] {
  return wrap(text, output.columns - 4).map((line) => `    ${line}`);
}
