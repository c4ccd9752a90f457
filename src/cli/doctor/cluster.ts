import { defaultSkew } from '../../attributes/jwt/claims.ts';
import { readAnswer } from '../../attributes/kubernetes/answers.ts';
import type { Api } from '../../attributes/kubernetes/client.ts';
import { type Existence, findKinds } from '../../attributes/kubernetes/discovery.ts';
import {
  isAllowed,
  type Permission,
  permissionsFor,
  permissionText,
} from '../../attributes/kubernetes/permissions.ts';
import { groupOf, type ResourceKind } from '../../attributes/kubernetes/resource-kind.ts';
import { messageOf } from '../../pdp/model/text.ts';
import { count } from '../terminal/wrap.ts';
import { type Finding, several } from './finding.ts';

export interface Looked {
  readonly findings: readonly Finding[];
  /** Kinds that are there and may be followed. */
  readonly kinds: readonly ResourceKind[];
}

/** A cluster: that it answers, by which clock, what it has, and what it lets us do. */
export async function checkCluster(api: Api, kinds: readonly ResourceKind[]): Promise<Looked> {
  const answer = await checkServer(api);
  if (answer.some(({ outcome, check }) => check === 'API server' && outcome === 'fail'))
    return { findings: answer, kinds: [] };
  const found = await findKinds(api, kinds);
  const served = kinds.filter((kind) => found.get(kind)?.is === 'served');
  const used = kinds.filter((kind) => isOurs(kind) || served.includes(kind));
  const { findings, refused } = await checkPermissions(api, permissionsFor(used));
  return {
    findings: [...answer, ...checkKinds(found), ...findings],
    kinds: served.filter((kind) => !refused.has(`${groupOf(kind)} ${kind.plural}`)),
  };
}

/** Others' groups are there where others are. */
function isOurs(kind: ResourceKind): boolean {
  return groupOf(kind) === 'placet.dev' || groupOf(kind) === '';
}

/** A date in an answer has whole seconds: half of one more, on average. */
const halfSecond = 500;
/** Of two clocks that somebody looks after. */
const usual = 2_000;

async function checkServer(api: Api): Promise<readonly Finding[]> {
  const check = 'API server';
  try {
    const sent = Date.now();
    const response = await api.send('/version');
    const between = (sent + Date.now()) / 2;
    const { gitVersion } = (await readAnswer(response)) as { readonly gitVersion?: unknown };
    const says = `${api.server}, ${String(gitVersion)}`;
    return [{ check, outcome: 'ok', says }, checkClock(Date.parse(response.headers.date ?? ''), between)];
  } catch (error) {
    const says = `${api.server}: ${messageOf(error)}`;
    return [{ check, outcome: 'fail', says, todo: 'see that the address and the credentials are right' }];
  }
}

export function checkClock(date: number, now: number): Finding {
  const check = 'clock';
  if (Number.isNaN(date))
    return { check, outcome: 'warn', says: 'the API server does not say what time it is' };
  const off = Math.abs(date + halfSecond - now);
  const says = `${(off / 1000).toFixed(1)} s from that of the API server`;
  if (off <= usual) return { check, outcome: 'ok', says };
  const todo = 'set both clocks by one source of time (NTP)';
  if (off < defaultSkew) return { check, outcome: 'warn', says, todo };
  return { check, outcome: 'fail', says: `${says}: tokens that are valid are refused`, todo };
}

function checkKinds(found: ReadonlyMap<ResourceKind, Existence>): readonly Finding[] {
  const byVersion = [...Map.groupBy(found, ([{ apiVersion }]) => apiVersion)];
  const oursFirst = byVersion.toSorted(([, a], [, b]) => Number(isOurs(b[0]![0])) - Number(isOurs(a[0]![0])));
  return oursFirst.flatMap(([apiVersion, all]): readonly Finding[] => {
    const check = `kinds of ${apiVersion}`;
    const ours = isOurs(all[0]![0]);
    const is = (wanted: Existence['is']) => all.filter(([, one]) => one.is === wanted);
    const why = ([, one]: (typeof all)[number]) => (one.is === 'served' ? '' : one.why);
    const unknown = is('unknown');
    const elsewhere = unknown.filter(([, one]) => one.is === 'unknown' && one.versions !== undefined);
    if (elsewhere.length > 0)
      return [{ check, outcome: 'fail', says: several(elsewhere.map(why)), todo: apply('crds') }];
    if (unknown.length > 0)
      return [
        { check, outcome: 'fail', says: several([...new Set(unknown.map(why))]), todo: apply('rbac.yaml') },
      ];
    const missing = is('missing');
    const served = all.length - missing.length;
    if (served === 0 && !ours) return [{ check, outcome: 'ok', says: 'not there, and not needed' }];
    const says = `${served} of ${all.length} served`;
    if (missing.length === 0) return [{ check, outcome: 'ok', says }];
    const names = several(missing.map(([{ kind }]) => kind));
    // What others have less of than we read is theirs to have.
    if (!ours) return [{ check, outcome: 'ok', says: `${says}, without ${names}` }];
    return [{ check, outcome: 'warn', says: `${says}, without ${names}`, todo: apply('crds') }];
  });
}

function apply(what: string): string {
  return `kubectl apply -f deploy/${what}`;
}

/** Questions that are open at once. */
const together = 8;

async function checkPermissions(
  api: Api,
  permissions: readonly Permission[],
): Promise<{ readonly findings: readonly Finding[]; readonly refused: ReadonlySet<string> }> {
  const check = 'permissions';
  const missing: Permission[] = [];
  try {
    for (let from = 0; from < permissions.length; from += together) {
      const some = permissions.slice(from, from + together);
      const answers = await Promise.all(some.map((one) => isAllowed(api, one)));
      missing.push(...some.filter((_, i) => answers[i] === false));
    }
  } catch (error) {
    const says = `the API server does not say what is allowed: ${messageOf(error)}`;
    return { findings: [{ check, outcome: 'fail', says, todo: apply('rbac.yaml') }], refused: new Set() };
  }
  const refused = new Set(missing.map(({ group, resource }) => `${group} ${resource}`));
  if (missing.length === 0)
    return { findings: [{ check, outcome: 'ok', says: `all ${permissions.length} are given` }], refused };
  // Without it tokens are not reviewed, and everything else works.
  const onlyTokens = missing.every(({ resource }) => resource === 'tokenreviews');
  const says = `${count(missing.length, 'of the permissions is', 'of the permissions are')} missing: ${several(missing.map(permissionText))}`;
  return {
    findings: [{ check, outcome: onlyTokens ? 'warn' : 'fail', says, todo: apply('rbac.yaml') }],
    refused,
  };
}
