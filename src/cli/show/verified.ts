import type { Metadata, MetadataStruct, Peer, Result } from '../../envoy/interpreter/evidence.ts';
import type { Difference } from '../../envoy/verify/compare.ts';
import { type Token, words } from '../../envoy/verify/tokens/token.ts';
import { type ChainReport, isSound } from '../../envoy/verify/verify.ts';
import { formatPath } from '../../pdp/model/violation.ts';
import { effectPaint, type Palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { showRule } from './place.ts';

/** Kinds of differences and problems of one chain that are printed; all are in the JSON. */
const mostShown = 10;

export function showVerified(reports: readonly ChainReport[], paint: Palette): string[] {
  return reports.flatMap((report, index) => [...(index > 0 ? [''] : []), ...showChain(report, paint)]);
}

function showChain(report: ChainReport, paint: Palette): string[] {
  const lines = [paint.bold(printable(report.chain))];
  for (const { state, id, message, hint } of report.checks) {
    if (state === 'holds') lines.push(`  ${paint.green('holds')}      ${id}: ${printable(message)}`);
    else if (state === 'fails') lines.push(`  ${paint.red('fails')}      ${id}: ${printable(message)}`);
    else lines.push(`  ${paint.yellow('not shown')}  ${id}: ${printable(message)}`);
    if (hint !== undefined) lines.push(`             ${paint.dim(printable(hint))}`);
  }
  for (const { path, message } of report.violations.slice(0, mostShown)) {
    lines.push(`${paint.red('not evaluated')}: ${printable(formatPath(path))}: ${printable(message)}`);
  }
  lines.push(...more(report.violations.length, 'not evaluated'));
  for (const { at, tried, possible, differing, allowed, differences } of report.compared) {
    for (const difference of differences.slice(0, mostShown))
      lines.push(...showDifference(difference, paint));
    lines.push(...more(differences.length, 'kinds of differences'));
    const where = at === undefined ? '' : `${printable(at)}: `;
    const verdict =
      differing === 0
        ? paint.green('no difference')
        : paint.red(`${count(differing, 'request')} on which Envoy and the policies disagree`);
    const some = tried < possible ? `, of ${count(possible, 'possible one')}` : '';
    lines.push(
      `${where}${verdict}, ${count(tried, 'request')} tried${some}, ${allowed.toLocaleString('en')} of them allowed by Envoy`,
    );
    if (tried < possible) lines.push(paint.dim('  not everything was tried; --max-requests sets how much'));
  }
  lines.push(verdictLine(report, paint));
  return lines;
}

function verdictLine(report: ChainReport, paint: Palette): string {
  if (isSound(report)) return soundLine(report, paint);
  const failing = report.checks.filter(({ state }) => state === 'fails').length;
  if (failing > 0)
    return paint.red(`not as the policies say: ${count(failing, 'check fails', 'checks fail')}`);
  return paint.red(report.compared.length === 0 ? 'nothing could be compared' : 'not as the policies say');
}

function soundLine({ checks, compared }: ChainReport, paint: Palette): string {
  const open = checks.filter(({ state }) => state === 'not shown').length;
  const limits = [
    ...(compared.some(({ tried, possible }) => tried < possible) ? ['as far as it was tried'] : []),
    ...(open > 0 ? [`${count(open, 'thing')} that it relies on not shown`] : []),
  ];
  if (limits.length === 0) return paint.green('as the policies say');
  return `${paint.green('as the policies say')}, ${paint.yellow(limits.join('; '))}`;
}

function more(found: number, what: string): string[] {
  return found > mostShown ? [`  and ${found - mostShown} more ${what}; --json lists all`] : [];
}

function showDifference(
  { world, count: times, at, peer, request, policies, envoy }: Difference,
  paint: Palette,
): string[] {
  const by = policies.by === null ? '' : ` by ${showRule(policies.by)}`;
  const { method, path, sni } = request;
  const asked = [method, path, sni === undefined ? undefined : `server name ${sni}`].filter(
    (one) => one !== undefined,
  );
  return [
    `${paint.red('differs')} (${world}${at === undefined ? '' : `, ${printable(at)}`}; ${count(times, 'request')} like this)`,
    `  client    ${printable(showPeer(peer))}`,
    ...(peer.token === undefined ? [] : [`  token     ${printable(showToken(peer.token))}`]),
    ...(asked.length === 0 ? [] : [`  request   ${printable(asked.join(' '))}`]),
    `  policies  ${effectPaint(policies.decision, paint)}${by} (${policies.reason})`,
    `  envoy     ${effectPaint(effectOf(envoy), paint)}${envoy.policy === undefined ? ', nothing matched' : ` by ${printable(envoy.policy)}`}`,
  ];
}

function effectOf({ action }: Result): string {
  return action === 'ALLOW' ? 'allow' : 'deny';
}

/** What it says of the workload, for whom and what it is, and what the script does not say of it. */
function showToken({ claims, passed }: Token): string {
  const { attributes, trust, sub, iss, aud, export: wanted } = claims;
  const trusts = (trust ?? {}) as MetadataStruct;
  const stated = Object.entries((attributes ?? {}) as MetadataStruct).map(
    ([key, value]) => `${key}=${plain(value)} (${plain(trusts[key])})`,
  );
  const missing = words.filter((word) => !passed.includes(word));
  return [
    `iss ${plain(iss)}, aud ${plain(aud)}, export ${plain(wanted)}`,
    ...(sub === undefined ? [] : [`sub ${plain(sub)}`]),
    ...stated,
    ...(missing.length === 0 ? [] : [`without the word for ${missing.join(', ')}`]),
  ].join(', ');
}

function plain(value: Metadata | undefined): string {
  return typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? 'none');
}

function showPeer({ uriSans, dnsSans, subject, presented, validated }: Peer): string {
  if (!presented) return 'no certificate';
  const names = [
    ...uriSans.map((one) => `URI ${one}`),
    ...dnsSans.map((one) => `DNS ${one}`),
    ...(subject === undefined ? [] : [`subject ${subject}`]),
  ];
  return `${names.length === 0 ? 'a certificate without names' : names.join(', ')}${validated ? '' : ' (not verified)'}`;
}

export function verifiedJson(reports: readonly ChainReport[], snapshot: string): object {
  return { sound: reports.length > 0 && reports.every(isSound), chains: reports, snapshot };
}
