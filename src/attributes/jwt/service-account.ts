import type { KeyObject } from 'node:crypto';
import { accept, type Checked, refuse } from '../evidence.ts';
import { type Expected, signedUntil } from './claims.ts';
import { type Claims, readToken } from './jws.ts';

/** What a Kubernetes service account token says of a workload, whoever verified it. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  /** The pod that it was made for: the strongest handle there is. */
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly validUntil: number;
}

export interface Issuer {
  /** `iss` as the API server writes it (`--service-account-issuer`). */
  readonly name: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** Verifies a token offline, by the keys of its issuer. A token whose pod is gone stays valid here: a TokenReview knows. */
export async function verifyServiceAccountToken(
  token: string,
  issuer: Issuer,
  expected: Expected,
  now: number,
): Promise<Checked<ServiceAccount>> {
  const read = readToken(token);
  if (!read.ok) return read;
  const { claims, header } = read.value;
  if (claims['iss'] !== issuer.name)
    return refuse('unknown-authority', `got a token of another issuer, want ${JSON.stringify(issuer.name)}`);
  const key = issuer.keys.get(header.kid);
  if (key === undefined)
    return refuse(
      'unknown-authority',
      `got a token by a key that is not the issuer's, want one of its ${issuer.keys.size}`,
    );
  const end = await signedUntil(read.value, [key], expected, now);
  return end.ok ? accountOf(claims, end.value) : end;
}

function accountOf(claims: Claims, validUntil: number): Checked<ServiceAccount> {
  const said = claims['kubernetes.io'] as Claims | undefined;
  const account = fieldsOf(said?.['serviceaccount']);
  const namespace = said?.['namespace'];
  if (typeof namespace !== 'string' || account === undefined)
    return refuse(
      'claim',
      'got a token that names no service account, want "kubernetes.io" with "namespace" and "serviceaccount"',
    );
  if (claims['sub'] !== `system:serviceaccount:${namespace}:${account.name}`)
    return refuse('claim', 'got a token whose subject is not the service account that it names');
  const pod = fieldsOf(said?.['pod']);
  return accept({ namespace, name: account.name, ...(pod === undefined ? {} : { pod }), validUntil });
}

function fieldsOf(value: unknown): { readonly name: string; readonly uid: string } | undefined {
  const { name, uid } = (value ?? {}) as Claims;
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}
