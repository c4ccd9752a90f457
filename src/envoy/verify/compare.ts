import type { Decision } from '../../pdp/model/decision.ts';
import type { Channel, Request, RequestParts } from '../../pdp/model/request.ts';
import type { HttpRequest, Result } from '../interpreter/evidence.ts';
import { verifyLimits } from './limits.ts';
import type { Shape, Shapes } from './request-shapes.ts';
import { Shuffle } from './shuffle.ts';
import { type Client, metadataOf, type Token } from './tokens/token.ts';
import { decideWay, type Way } from './ways.ts';

export type Decide = (request: Request, channel: Channel) => Decision;

/** A request on which the two disagree, with what each says; the shortest of its sort. */
export interface Difference {
  readonly world: 'enforced' | 'shadow';
  /** How many of the requests that were tried are of its sort. */
  readonly count: number;
  readonly at: string | undefined;
  readonly peer: Client;
  readonly request: Shape;
  readonly policies: Pick<Decision, 'decision' | 'reason' | 'by'>;
  readonly envoy: Result;
}

/** Clients, and what each of them may ask. */
export interface Group {
  readonly peers: readonly Client[];
  readonly shapes: Shapes;
}

export interface Compared {
  readonly tried: number;
  readonly possible: number;
  readonly differing: number;
  readonly allowed: number;
  readonly differences: readonly Difference[];
}

export interface Question {
  readonly way: Way;
  readonly all: Group;
  /** For where all pairs are too many: what belongs together, one group per rule. */
  readonly groups: () => Iterable<Group>;
  /** What the policies say to a client that takes a route. */
  readonly ask: (client: Client, route: string | undefined, parts: RequestParts) => Decision;
  readonly shadow: boolean;
  readonly most: number;
  /** Comparisons in the filters, beyond which no further request is tried. */
  readonly comparisons: number;
}

export function compare(question: Question): Compared {
  const { way, ask } = question;
  const found = new Map<string, Difference>();
  let [tried, differing, allowed] = [0, 0, 0];
  const meter = { steps: 0 };
  for (const [peer, shape] of pairs(question)) {
    if (meter.steps >= question.comparisons) break;
    const { sni, ...parts } = shape;
    const seen: Client = sni === undefined ? peer : { ...peer, sni };
    const decision = ask(seen, way.route, parts);
    const verdict = decideWay(way, seen, httpRequest(shape, seen.token), meter);
    tried++;
    if (verdict.enforced.action === 'ALLOW') allowed++;
    const { reason, by, shadow, shadowBy } = decision;
    const common = { at: way.at, peer, request: shape };
    let differs = false;
    const add = (difference: Omit<Difference, 'count'>): void => {
      differs = true;
      note(found, difference);
    };
    if (isOther(decision.decision, verdict.enforced)) {
      const policies = { decision: decision.decision, reason, by };
      add({ world: 'enforced', ...common, policies, envoy: verdict.enforced });
    }
    // Without a shadow of its own a filter counts what it enforces; that alone is not said twice.
    const envoy = verdict.shadow ?? verdict.enforced;
    const told = verdict.shadow !== undefined || shadow !== decision.decision;
    if (question.shadow && told && isOther(shadow, envoy)) {
      const why = shadowBy === null ? reason : 'rule';
      add({ world: 'shadow', ...common, policies: { decision: shadow, reason: why, by: shadowBy }, envoy });
    }
    if (differs) differing++;
  }
  const possible = sizeOfGroup(question.all);
  return { tried, possible, differing, allowed, differences: [...found.values()] };
}

function isOther(effect: 'allow' | 'deny', { action }: Result): boolean {
  return (effect === 'allow') !== (action === 'ALLOW');
}

function httpRequest({ method, path }: Shape, token: Token | undefined): HttpRequest | undefined {
  if (method === undefined || path === undefined) return undefined;
  return { method, path, ...(token === undefined ? {} : { metadata: metadataOf(token) }) };
}

function note(found: Map<string, Difference>, difference: Omit<Difference, 'count'>): void {
  const { world, at, policies, envoy } = difference;
  const by = policies.by === null ? '' : `${policies.by.kri}#${policies.by.effect}/${policies.by.index}`;
  const key = JSON.stringify([world, at, policies.decision, policies.reason, by, envoy.action, envoy.policy]);
  const known = found.get(key);
  if (known === undefined) found.set(key, { ...difference, count: 1 });
  else {
    const shorter = sizeOf(difference) < sizeOf(known) ? difference : known;
    found.set(key, { ...shorter, count: known.count + 1 });
  }
}

/** What is easiest to read: few names, short ones, and nothing in the request that need not be there. */
function sizeOf({ peer, request }: Pick<Difference, 'peer' | 'request'>): number {
  const names = [...peer.uriSans, ...peer.dnsSans, peer.subject ?? ''];
  const parts = [request.path ?? '', request.sni ?? '', request.method === 'GET' ? '' : 'method'];
  const told = peer.token === undefined ? '' : JSON.stringify(peer.token);
  return names.length * 50 + [...names, ...parts, told].join('').length;
}

function sizeOfGroup({ peers, shapes }: Group): number {
  return peers.length * shapes.length;
}

/**
 * Every pair if there are not too many. Else half of what may be tried goes to the pairs of each rule's own clients
 * and requests, and the rest to every client and every request once and to pairs drawn at random.
 */
function* pairs({ all, groups, most }: Question): Generator<readonly [Client, Shape]> {
  if (sizeOfGroup(all) <= most) return yield* everyPair(all);
  const shuffle = new Shuffle(sizeOfGroup(all));
  let left = most;
  for (const group of groups()) {
    const share = Math.min(sizeOfGroup(group), verifyLimits.pairsPerRule);
    if (left - share < most / 2) break;
    left -= share;
    if (share === sizeOfGroup(group)) yield* everyPair(group);
    else for (let i = 0; i < share; i++) yield drawn(group, shuffle);
  }
  const longer = Math.max(all.peers.length, all.shapes.length);
  for (let i = 0; i < left; i++) {
    if (i >= longer) yield drawn(all, shuffle);
    else yield [all.peers[i % all.peers.length] as Client, all.shapes.at(i % all.shapes.length)];
  }
}

function* everyPair({ peers, shapes }: Group): Generator<readonly [Client, Shape]> {
  for (const peer of peers) for (let i = 0; i < shapes.length; i++) yield [peer, shapes.at(i)];
}

function drawn({ peers, shapes }: Group, shuffle: Shuffle): readonly [Client, Shape] {
  return [peers[shuffle.below(peers.length)] as Client, shapes.at(shuffle.below(shapes.length))];
}
