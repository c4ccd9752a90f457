import { afterAll, expect } from 'vitest';
import { interpret } from '../../../src/envoy/interpreter/interpret.ts';
import { type Certificate, namesOf } from '../../support/certificates/index.ts';
import type { Probe } from '../../support/envoy/http-client.ts';
import { type Lab, openLab, type Said } from '../../support/envoy/lab.ts';
import type { Filter, ListenerSpec } from '../../support/envoy/listeners.ts';
import type { Peer } from '../../support/envoy/tls-client.ts';

/** What a test of a fact asks a real Envoy, and the interpreter in the same breath. */

type Json = Readonly<Record<string, unknown>>;

/** One Envoy for a file of tests: opened by the first that needs it, since without an Envoy all are skipped. */
export function labOf(specs: () => Promise<readonly ListenerSpec[]>): () => Promise<Lab> {
  let lab: Promise<Lab> | undefined;
  afterAll(async () => (await lab)?.stop());
  return () => {
    lab ??= specs().then(openLab);
    return lab;
  };
}

export interface Client extends Peer {
  /** Whether the listener's trust finds nothing wrong with the certificate; true if not given. */
  readonly validated?: boolean;
}

/** The filters of listeners, by name, as builders of configuration give them. */
export function asFilter(json: Json): Filter {
  return json as unknown as Filter;
}

/** What both say: `allow` or `deny`, and which policy said so (Envoy names only one that denies). */
export async function bothSay(
  lab: Lab,
  listener: string,
  filter: Json,
  client: Client,
  probe?: Probe,
): Promise<string> {
  const said =
    probe === undefined ? await lab.knock(listener, client) : (await lab.ask(listener, client, [probe]))[0]!;
  expect(['allow', 'deny'], said.verdict).toContain(said.verdict);
  const { enforced } = interpret(filter, seenPeer(client), probe && { ...seenRequest(probe, said) });
  const ours = enforced.action.toLowerCase();
  expect({ ours, policy: ours === 'deny' ? enforced.policy : undefined }).toEqual({
    ours: said.verdict,
    policy: said.policy === 'none' ? undefined : said.policy,
  });
  return enforced.policy === undefined ? ours : `${ours} ${enforced.policy}`;
}

export function seenPeer({ certificate, sni, validated = true }: Client) {
  const presented = certificate !== undefined;
  return {
    ...(certificate === undefined ? { uriSans: [], dnsSans: [] } : namesOf(certificate as Certificate)),
    presented,
    validated: presented && validated,
    ...(sni === undefined ? {} : { sni }),
  };
}

function seenRequest({ method = 'GET', path = '/', headers = {} }: Probe, said: Said) {
  return { method, path: said.path ?? path, headers };
}
