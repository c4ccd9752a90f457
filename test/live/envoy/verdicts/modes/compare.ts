import type { Peer } from '../../../../../src/envoy/interpreter/evidence.ts';
import type { Decision } from '../../../../../src/pdp/model/decision.ts';
import { SpiffeId } from '../../../../../src/pdp/model/spiffe-id.ts';
import { sourceOf } from '../../../../envoy/export/peers.ts';
import type { Lab, Said } from '../../../../support/envoy/lab.ts';
import { askClient } from '../ask.ts';
import { type Client, decide } from '../clients.ts';
import { compareAnswers, type Difference, isExact, shadowOf } from '../compare.ts';
import type { WorldSet } from '../sets.ts';
import type { ModeCounts, Way } from './counts.ts';
import type { Job } from './job.ts';

type Verdict = Pick<Decision, 'decision' | 'shadow'>;
/** What Placet decided where it was asked by HTTP. */
export type Decided = (id: string) => Verdict | undefined;

interface Asking {
  readonly way: Way;
  readonly said: readonly Said[];
}

/** Asks the same of each listener of a set, and compares every one with the PDP. */
export async function compareModes(
  lab: Lab,
  job: Job,
  client: Client,
  decided: Decided,
  counts: ModeCounts,
): Promise<Difference[]> {
  const { world, filter, form, listeners } = job;
  const ask = (listener: string) => askClient(lab, listener, filter, client, form?.route);
  const [native, byGrpc, byHttp] = await Promise.all([
    form && ask(listeners.native),
    ask(listeners.grpc),
    filter === 'http' ? ask(listeners.http) : undefined,
  ]);
  const ofNative = form && native ? compareAnswers(world, form, client, native, counts) : [];
  const asking: Asking[] = [{ way: filter === 'http' ? 'grpc' : 'network', said: byGrpc }];
  if (byHttp !== undefined) asking.push({ way: 'http', said: byHttp });
  const different = byGrpc.flatMap((_, at) =>
    compareOne(job, client, at, native?.[at], asking, decided, counts),
  );
  return [...ofNative, ...different];
}

function compareOne(
  { world, filter, form, loose }: Job,
  client: Client,
  at: number,
  native: Said | undefined,
  asking: readonly Asking[],
  decided: Decided,
  counts: ModeCounts,
): Difference[] {
  const { method, path } = client.questions[at]!;
  const { set, asked, tags, seed, documents } = world;
  const route = form?.route;
  const told = (named: boolean) =>
    decide(set, asked, tags, client, { method, path }, { shown: filter === 'http', named, route });
  const pdp = told(true);
  const differs = (what: string, envoy: Said, placet?: unknown): Difference => ({
    what,
    ...{ seed, tags, documents, asked, filter, options: form?.options, route },
    client: { ...client, questions: [] },
    ...{ method, path, envoy, placet },
    pdp: { decision: pdp.decision, shadow: pdp.shadow, tier: pdp.tier, reason: pdp.reason },
  });
  // Who does not get as far as a filter gets as far nowhere.
  const first = native ?? asking[0]!.said[at]!;
  const apart = asking.filter(({ said }) => reached(said[at]!) !== reached(first));
  if (apart.length > 0)
    return apart.map(({ way, said }) => differs(`${way}: how far it gets`, said[at]!, first));
  if (reached(first) !== 'a filter') return [];
  if (native !== undefined && form !== undefined && isExact(form.exported)) {
    const shadow = shadowOf(native, form.exported) as Verdict['shadow'];
    counts.said(`native ${filter}`, { decision: native.verdict as Verdict['decision'], shadow });
  }
  const odd = client.peer.presented && !isRead(client.peer, tags, world);
  return asking.flatMap(({ way, said: all }) => {
    const said = all[at]!;
    // By HTTP no proxy tells the server name.
    let want: Pick<Decision, 'decision' | 'shadow' | 'reason'> = way === 'http' ? told(false) : pdp;
    if (differ(want, pdp)) counts.withoutName++;
    if (odd) {
      counts.odd++;
      if (differ(want, refused)) {
        // Where a listener asks less of certificates than an export wants, some get in that are no SVID.
        if (!loose) return [differs(`${way}: an odd certificate`, said)];
        counts.oddDiffers++;
      }
      want = refused;
    }
    const placet = way === 'http' ? decided(said.decision ?? '') : metadataOf(said, filter);
    counts.said(way, want);
    const wrong = [
      ...(said.verdict === want.decision ? [] : ['the verdict']),
      ...(placet?.decision === want.decision ? [] : ['what Placet said']),
      ...(placet?.shadow === want.shadow ? [] : ['the shadow']),
    ];
    return wrong.length === 0 ? [] : [differs(`${way}: ${wrong.join(', ')}`, said, placet ?? 'nothing')];
  });
}

const reached = ({ verdict }: Said) => (verdict === 'allow' || verdict === 'deny' ? 'a filter' : verdict);

const differ = (one: Verdict, other: Verdict) =>
  one.decision !== other.decision || one.shadow !== other.shadow;

/** What Placet answers about a certificate that it cannot read. */
const refused = { decision: 'deny', shadow: 'deny', reason: 'invalid-source' } as const;

/** Whether a certificate is an X509-SVID, or one of a tag mesh: with one ID of a workload, or tags. */
function isRead(peer: Peer, tags: boolean, { set }: WorldSet): boolean {
  if (tags) return sourceOf(peer, tags, set.loaded.inventory) !== undefined;
  const [uri = '', ...more] = peer.uriSans;
  const id = SpiffeId.parse(uri);
  return more.length === 0 && id.ok && id.value.path !== '';
}

function metadataOf({ metadata }: Said, filter: string): Verdict | undefined {
  return metadata?.[`envoy.filters.${filter}.ext_authz`] as Verdict | undefined;
}
