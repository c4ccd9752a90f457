import type { Peer } from '../../../../src/envoy/interpreter/evidence.ts';
import type { Asked } from '../../../../src/pdp/governing.ts';
import type { Decision } from '../../../../src/pdp/model/decision.ts';
import type { Inventory } from '../../../../src/pdp/model/inventory.ts';
import { channelOf, untoldServerNames } from '../../../../src/pdp/model/request.ts';
import { type Drawn, drawnRequest, sourceOf, svidPeer, tagPeer } from '../../../envoy/export/peers.ts';
import type { Both } from '../../../envoy/export/world.ts';
import type { Random } from '../../../oracle/random.ts';

/** Who asks, and what, over one connection. */
export interface Client {
  readonly peer: Peer;
  readonly sni: string | undefined;
  /** What it says of itself in `x-forwarded-client-cert`, if anything. */
  readonly claims?: string;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly method: string;
  readonly path: string;
  /** Without a route, with all that the request shows. */
  readonly decision: Decision;
}

/** What a certificate proves is capped no more (`joinedChannel`). */
const relay = { ...channelOf('relay'), ceiling: 'attested' } as const;
const clientsOfSet = 10;
const questionsOfClient = 5;

/**
 * What the PDP says given the evidence that Envoy has; `shown`: whether that is more than a connection; `named`: whether
 * the server name is told.
 */
export function decide(
  set: Both,
  asked: Asked,
  tags: boolean,
  client: Pick<Client, 'peer' | 'sni'>,
  { method, path }: Pick<Question, 'method' | 'path'>,
  {
    shown = true,
    named = true,
    route,
  }: { shown?: boolean; named?: boolean; route?: string | undefined } = {},
): Decision {
  const source = sourceOf(client.peer, tags, set.loaded.inventory);
  const sni = named ? client.sni : undefined;
  return set.engine.decide(
    {
      ...(source === undefined ? {} : { source }),
      destination: { ...asked, ...(route === undefined ? {} : { route }) },
      request: { ...(shown ? { method, path } : {}), ...(sni === undefined ? {} : { sni }) },
    },
    named ? relay : untoldServerNames(relay),
  );
}

/** Mostly such as are allowed something: of those that are drawn blindly few are. */
export function drawClients(random: Random, set: Both, asked: Asked, tags: boolean): Client[] {
  return Array.from({ length: clientsOfSet }, () => {
    const tries = random.chance(0.8) ? 16 : 1;
    let best = drawClient(random, set, asked, tags);
    for (let i = 1; i < tries && !allows(best); i++) best = drawClient(random, set, asked, tags);
    return best;
  });
}

export function allows({ questions }: Client): boolean {
  return questions.some(({ decision }) => decision.decision === 'allow');
}

/** Names that stand beside the URIs too, each alone. */
function spiffePeer(random: Random, inventory: Inventory): Peer {
  const peer = svidPeer(random, inventory);
  const { uriSans } = peer;
  const text = uriSans[0] ?? 'spiffe://td.example/gateway';
  const drawn = random.next();
  if (drawn < 0.02) return { ...peer, uriSans: [], dnsSans: [text] };
  if (drawn < 0.04) return { ...peer, uriSans: [], dnsSans: [], subject: `CN=${text}` };
  if (drawn < 0.06) return { ...peer, dnsSans: ['web.example', 'spiffe://td/obs/x'], subject: 'CN=web' };
  return peer;
}

export function drawClient(
  random: Random,
  set: Both,
  asked: Asked,
  tags: boolean,
  count = questionsOfClient,
): Client {
  const peer = tags ? tagPeer(random, ['default', 'other']) : spiffePeer(random, set.loaded.inventory);
  const { sni } = drawnRequest(random);
  const client = { peer, sni };
  const draw = (): Question => {
    let { method, path }: Drawn = drawnRequest(random);
    // Envoy takes no method in lower case for a request: a few show that.
    if (method === 'get' && random.chance(0.9)) method = 'GET';
    return { method, path, decision: decide(set, asked, tags, client, { method, path }) };
  };
  const questions = Array.from({ length: count }, () => {
    let question = draw();
    for (let i = 0; i < 8 && question.decision.decision === 'deny'; i++) question = draw();
    return question;
  });
  return { ...client, questions };
}
