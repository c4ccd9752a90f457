import type { Certificate } from './certificate.ts';

const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyPurpose = '2.5.29.37.0';

type Purposes = Pick<Certificate, 'extendedKeyUsage'>;

/** X.509-SVID standard §4.4: a workload is both client and server, if purposes are said at all. */
export function isForBothSides({ extendedKeyUsage: said }: Purposes): boolean {
  return said === undefined || (said.includes(serverAuth) && said.includes(clientAuth));
}

/** What a signer may not be used for it cannot give to others; one for any purpose is for these two. */
export function maySignForBothSides(signer: Purposes): boolean {
  return isForBothSides(signer) || signer.extendedKeyUsage?.includes(anyPurpose) === true;
}
