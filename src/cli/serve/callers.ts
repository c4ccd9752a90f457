import { createHash } from 'node:crypto';
import type { Checked, Refusal } from '../../attributes/evidence.ts';
import { defaultSkew } from '../../attributes/jwt/claims.ts';
import { readToken } from '../../attributes/jwt/jws.ts';
import type { ServiceAccount } from '../../attributes/jwt/service-account.ts';
import { verifyJwtSvid } from '../../attributes/jwt/svid.ts';
import type { Authorities } from '../../attributes/proving/proving.ts';
import { type Certificate, readCertificate } from '../../attributes/x509/certificate.ts';
import type { X509Svid } from '../../attributes/x509/svid.ts';
import { isLoopback } from '../../gateway/http/host.ts';
import type { Called, Caller, Callers, Calling } from '../../gateway/service.ts';
import { matches } from '../../pdp/model/condition.ts';
import type { Role } from '../../pdp/model/request.ts';
import type { CallerRule } from './config-schema.ts';
import { Recent } from './recent.ts';

/** Verifies a token of Kubernetes; not given, such tokens are not accepted. */
export type Review = (token: string) => Promise<Checked<ServiceAccount>>;

export function callersOf(rules: readonly CallerRule[], authorities: Authorities, review?: Review): Callers {
  const byRule = { loopback: localCaller('loopback', rules), socket: localCaller('socket', rules) };
  const byCertificate = certificateCallers(rules, authorities);
  const byToken = tokenCallers(rules, authorities, review);
  return {
    caller(calling) {
      // What is handed over has to hold: a bad token does not fall back to where it comes from.
      if (calling.token !== undefined) return byToken(calling.token);
      if (calling.certificates.length > 0) return byCertificate(calling);
      const { address } = calling;
      if (address === undefined) return byRule.socket;
      return isLoopback(address) ? byRule.loopback : undefined;
    },
  };
}

function localCaller(where: 'loopback' | 'socket', rules: readonly CallerRule[]): Caller | undefined {
  const granted = rules.filter((rule) => rule[where] === true);
  return granted.length === 0 ? undefined : { name: where, roles: rolesOf(granted) };
}

function rolesOf(rules: readonly CallerRule[]): ReadonlySet<Role> {
  return new Set(rules.flatMap(({ roles }) => roles));
}

/** Whoever is proved to carry an ID; nobody, where no rule is for it. */
function ofId(id: string, rules: readonly CallerRule[]): Caller {
  const granted = rules.filter(
    ({ spiffeId, spiffeIdPrefix }) =>
      spiffeId === id ||
      (spiffeIdPrefix !== undefined && matches({ match: 'under', value: spiffeIdPrefix }, id)),
  );
  return { name: id, roles: rolesOf(granted) };
}

function unproved(what: string, { code, message }: Refusal): Called {
  return { unproved: `the ${what} is refused (${code}): ${message}` };
}

/** The certificates of a connection are read once; that they hold is asked each time, since they end, and bundles change. */
function certificateCallers(
  rules: readonly CallerRule[],
  { verifier }: Authorities,
): (calling: Calling) => Called {
  const chains = new WeakMap<Calling, Checked<readonly Certificate[]>>();
  const callers = new WeakMap<X509Svid, Caller>();
  return (calling) => {
    let chain = chains.get(calling);
    if (chain === undefined) {
      chain = readChain(calling.certificates);
      chains.set(calling, chain);
    }
    const verified = chain.ok ? verifier.verify(chain.value) : chain;
    if (!verified.ok) return unproved('client certificate', verified.refusal);
    let caller = callers.get(verified.value);
    if (caller === undefined) {
      caller = ofId(verified.value.spiffeId.toString(), rules);
      callers.set(verified.value, caller);
    }
    return caller;
  };
}

function readChain(all: readonly Uint8Array[]): Checked<readonly Certificate[]> {
  const chain: Certificate[] = [];
  for (const der of all) {
    const read = readCertificate(der);
    if (!read.ok) return read;
    chain.push(read.value);
  }
  return { ok: true, value: chain };
}

interface Kept {
  readonly caller: Caller;
  readonly until: number;
  readonly version: number;
}

const mostKept = 1_000;

function tokenCallers(
  rules: readonly CallerRule[],
  { bundles, audiences }: Authorities,
  review: Review | undefined,
): (token: string) => Promise<Called> {
  const recent = new Recent<string, Kept>(mostKept);
  return async (token) => {
    if (review !== undefined && isOfKubernetes(token)) {
      const reviewed = await review(token);
      return reviewed.ok ? ofAccount(reviewed.value, rules) : unproved('token', reviewed.refusal);
    }
    const { version } = bundles;
    const now = Date.now();
    // By a hash: no token stays in memory.
    const name = createHash('sha256').update(token).digest('base64');
    const kept = recent.get(name);
    if (kept !== undefined && kept.version === version && now < kept.until) return kept.caller;
    const expected = { audiences, skew: defaultSkew };
    const verified = await verifyJwtSvid(token, (trustDomain) => bundles.keys(trustDomain), expected, now);
    if (!verified.ok) return unproved('token', verified.refusal);
    const { spiffeId, validUntil } = verified.value;
    const caller = ofId(spiffeId.toString(), rules);
    recent.set(name, { caller, until: validUntil, version });
    return caller;
  };
}

function ofAccount({ namespace, name }: ServiceAccount, rules: readonly CallerRule[]): Caller {
  const account = `${namespace}/${name}`;
  return { name: account, roles: rolesOf(rules.filter(({ serviceAccount }) => serviceAccount === account)) };
}

/** By what it says itself, unverified: only to know whom to ask. */
function isOfKubernetes(token: string): boolean {
  const read = readToken(token);
  const sub = read.ok ? read.value.claims['sub'] : undefined;
  return typeof sub === 'string' && sub.startsWith('system:serviceaccount:');
}
