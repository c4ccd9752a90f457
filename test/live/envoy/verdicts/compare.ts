import { tagShadowPrefix } from '../../../../src/envoy/export/render.ts';
import type { Exported, FilterKind } from '../../../../src/envoy/export/types.ts';
import type { Peer } from '../../../../src/envoy/interpreter/evidence.ts';
import type { Asked } from '../../../../src/pdp/governing.ts';
import type { Decision } from '../../../../src/pdp/model/decision.ts';
import { seenRequest } from '../../../envoy/export/peers.ts';
import { Chain, type Verdicts } from '../../../envoy/export/world.ts';
import type { Shape } from '../../../oracle/shapes.ts';
import type { Lab, Said } from '../../../support/envoy/lab.ts';
import { askClient } from './ask.ts';
import { type Client, decide } from './clients.ts';
import type { Counts } from './counts.ts';
import type { Form, WorldSet } from './sets.ts';

/** A request on which two do not agree, with all that is needed to see it again. */
export interface Difference {
  readonly what: string;
  readonly seed: number;
  readonly tags: boolean;
  readonly documents: readonly Shape[];
  readonly asked: Asked;
  readonly filter: FilterKind;
  /** Of the export; undefined where there was none. */
  readonly options: Form['options'] | undefined;
  readonly route: string | undefined;
  readonly client: Client;
  readonly method: string;
  readonly path: string;
  readonly pdp: Pick<Decision, 'decision' | 'shadow' | 'tier' | 'reason'>;
  readonly envoy: Said;
  readonly interpreter?: Verdicts;
  /** What Placet said that an Envoy asked. */
  readonly placet?: unknown;
}

/** What Envoy's shadow said, whichever filter it stood in; as enforced where there is none. */
export function shadowOf({ rbac, verdict }: Said, { filters }: Exported): string {
  const result = rbac[`${filters.length > 1 ? tagShadowPrefix : ''}shadow_engine_result`];
  if (result === undefined) return verdict;
  return result === 'allowed' ? 'allow' : 'deny';
}

export const isExact = ({ report }: Exported) => report.policies.every((one) => one.class === 'exact');

/** Asks all of one client over one connection, and compares. */
export async function compareClient(
  lab: Lab,
  listener: string,
  world: WorldSet,
  form: Form,
  client: Client,
  counts: Counts,
): Promise<Difference[]> {
  const { filter } = form.exported.report;
  return compareAnswers(
    world,
    form,
    client,
    await askClient(lab, listener, filter, client, form.route),
    counts,
  );
}

/** What an Envoy with an export said to one client. */
export function compareAnswers(
  world: WorldSet,
  form: Form,
  client: Client,
  answers: readonly Said[],
  counts: Counts,
): Difference[] {
  const { set, asked, tags } = world;
  const { exported, options, route } = form;
  const { filter } = exported.report;
  const exact = isExact(exported);
  counts.connections++;
  counts.peer(sortOf(client.peer));
  const chain = route === undefined ? Chain.of(exported) : Chain.ofRoute(exported, route);
  const literal = options.shadow === 'paper';

  // What is said of a connection holds for every request over it.
  const asks = client.questions.map((question, at) => ({
    ...question,
    envoy: answers[filter === 'http' ? at : 0]!,
  }));
  return asks.flatMap(({ method, path, envoy }): Difference[] => {
    if (envoy.verdict === 'refused' || envoy.verdict === 'rejected') {
      counts[envoy.verdict]++;
      return [];
    }
    // Where a connection is all that Envoy sees, the PDP is told no more, unless something is narrower for that, or
    // the PDP decides no connection that has no request yet.
    const told = (shown: boolean) => decide(set, asked, tags, client, { method, path }, { shown, route });
    const connected = filter === 'http' || !exact ? undefined : told(false);
    const pdp = connected === undefined || connected.reason === 'incomplete-request' ? told(true) : connected;
    if (connected !== undefined && connected !== pdp) counts.early++;
    const peer = { ...client.peer, ...(client.sni === undefined ? {} : { sni: client.sni }) };
    const seen = seenRequest({ method, path });
    const interpreter = chain.decide(peer, filter === 'http' ? seen : undefined);
    const shadow = shadowOf(envoy, exported);
    const wrong: string[] = [];
    if (filter === 'http' && envoy.path !== seen.path) wrong.push('the path');
    if (interpreter.enforced !== envoy.verdict) wrong.push('the interpreter');
    if (interpreter.shadow !== shadow) wrong.push("the interpreter's shadow");
    if (literal) counts.paper++;
    if (options.form !== 'table') {
      counts.compared(pdp);
      if (exact || envoy.verdict === 'allow') {
        if (envoy.verdict !== pdp.decision) wrong.push('the verdict');
        if (exact && !literal && shadow !== pdp.shadow) wrong.push('the shadow');
      }
    }
    if (wrong.length === 0) return [];
    const { decision, shadow: inShadow, tier, reason } = pdp;
    return [
      {
        what: wrong.join(', '),
        ...{ seed: world.seed, tags, documents: world.documents, asked },
        ...{ filter, options, route },
        client: { ...client, questions: [] },
        ...{ method, path, envoy, interpreter },
        pdp: { decision, shadow: inShadow, tier, reason },
      },
    ];
  });
}

function sortOf({ uriSans, dnsSans, presented, validated }: Peer): string {
  if (!presented) return 'without a certificate';
  if (!validated) return 'self-signed';
  if (uriSans.length === 0)
    return dnsSans.length === 0 ? 'with a subject alone' : 'with DNS and subject alone';
  if (uriSans.length > 1) return uriSans[0]?.startsWith('kuma:') ? 'with kuma: first' : 'with several URIs';
  return uriSans[0]?.includes(',') ? 'with a comma' : 'with one URI';
}
