/**
 * The certificate workshop: authorities, X509-SVIDs, certificates of tag meshes, and every sort of certificate that
 * is none of them. Made when a test runs, in milliseconds; nothing is kept on disk.
 */
export { type Authority, type AuthorityOptions, authority, intermediate } from './authority.ts';
export { brokenChains, brokenLeaves, brokenNames, type Maker, sound, type World } from './broken.ts';
export type { Certificate, Validity } from './certificate.ts';
export type { KeyKind } from './keys.ts';
export {
  type LeafOptions,
  leaf,
  purpose,
  purposes,
  selfSigned,
  svid,
  tagCertificate,
  unknownCritical,
  usage,
} from './leaf.ts';
export { type Names, namesOf } from './names.ts';
export { dns, type San, uri } from './san.ts';
