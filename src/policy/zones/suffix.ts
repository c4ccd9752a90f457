/** The name of a copy: that of its source, and a suffix that two sources never share (SPEC ZON1, ZON2). */

/** What a document is called where it was written. */
export interface Identity {
  readonly mesh: string;
  readonly name: string;
  /** Empty: Global. */
  readonly zone: string;
  /** Empty: none. */
  readonly namespace: string;
}

/** Letters and digits that are not mistaken for one another: 32, so that each stands for five bits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 16;

/** 80 bits. The parts are told apart by the encoding: `a` and `bc` hash otherwise than `ab` and `c`. */
export function suffixOf({ mesh, name, zone, namespace }: Identity, digest: Digest): string {
  const hex = digest(JSON.stringify([mesh, name, zone, namespace]));
  let bits = BigInt(`0x${hex.slice(0, (length * 5) / 4)}`);
  let suffix = '';
  for (let at = 0; at < length; at++) {
    suffix = alphabet[Number(bits & 31n)]! + suffix;
    bits >>= 5n;
  }
  return suffix;
}

/** SHA-256 in hex, which this folder has not. */
export type Digest = (text: string) => string;

/** RFC 1123: a name of DNS, and one label of such. */
export const longestName = 253;
export const longestLabel = 63;

export function syncedName(identity: Identity, longest: number, digest: Digest): string {
  const suffix = suffixOf(identity, digest);
  const room = longest - suffix.length - 1;
  const stem = stemOf(identity.name, longest === longestLabel)
    .slice(0, room)
    .replace(/[-.]+$/, '');
  return stem === '' ? suffix : `${stem}-${suffix}`;
}

const ending = new RegExp(`(?:^|-)[${alphabet}]{${length}}$`);

/** Whether a name has the form of a copy's; whose it is takes all four parts to know. */
export function looksSynced(name: string): boolean {
  return ending.test(name);
}

/** What of a name may stand in one of DNS. Names that only differ in the rest differ in their suffix. */
function stemOf(name: string, label: boolean): string {
  const lower = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower
    .replace(label ? /[^a-z0-9-]/g : /[^a-z0-9.-]/g, '-')
    .replace(/[-.]*\.[-.]*/g, '.')
    .replace(/^[-.]+/, '');
}
