/** What others use of this folder. */

export type { Bundle } from './bundles/bundle.ts';
export { readBundle } from './bundles/document.ts';
export { type BundleFile, BundleFiles } from './bundles/files.ts';
export { type BundleStatus, Bundles } from './bundles/store.ts';
export type { Checked, Refusal, RefusalCode } from './evidence.ts';
export { defaultSkew, type Expected } from './jwt/claims.ts';
export { type Issuer, type ServiceAccount, verifyServiceAccountToken } from './jwt/service-account.ts';
export { type JwtSvid, type KeysOf, verifyJwtSvid } from './jwt/svid.ts';
export { type ReviewOptions, TokenReviewer } from './kubernetes/token-review.ts';
export { type Certificate, readCertificate } from './x509/certificate.ts';
export { readPem } from './x509/pem.ts';
export { readSite, siteExtension } from './x509/site.ts';
export { type AuthoritiesOf, verifyX509Svid, type X509Svid } from './x509/svid.ts';
export { isOfTagMesh, type TagProof, verifyTagCertificate } from './x509/tags.ts';
export { X509Verifier } from './x509/verifier.ts';
