import { type Checked, refuse } from '../../attributes/evidence.ts';
import {
  type Cluster,
  type Identified,
  identify,
  type Known,
  requestSource,
  type Said,
} from '../../attributes/identify.ts';
import { proveXfcc } from '../../attributes/proving/of-xfcc.ts';
import { type Authorities, Proving } from '../../attributes/proving/proving.ts';
import { chosenIn, type Which } from '../../attributes/proving/xfcc.ts';
import type { Certificate } from '../../attributes/x509/certificate.ts';
import { isBase64, readPem } from '../../attributes/x509/pem.ts';
import type { Evidence, Identification, Identify } from '../../gateway/service.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { limits } from '../../pdp/model/limits.ts';
import type { RequestSource } from '../../pdp/model/request.ts';
import { keys } from '../../pdp/model/rule.ts';
import { SpiffeId } from '../../pdp/model/spiffe-id.ts';
import { textOf } from '../../pdp/stated.ts';
import { knownOf } from '../known.ts';
import { Recent } from './recent.ts';

export interface EvidenceParts {
  readonly authorities: Authorities;
  readonly inventory: () => Inventory | undefined;
  /** The cluster as it is known; it gives nothing where that is too old. Not given: there is none. */
  readonly cluster?: () => Cluster | undefined;
  readonly xfcc: Which;
}

/** Who evidence in a body is about. */
export function evidenceReader(parts: EvidenceParts): Identify {
  const { authorities, inventory: inventoryNow, cluster: clusterNow, xfcc } = parts;
  const known = knownNow();
  const byId = identifiedById();
  const certificates = certificateReader();
  return (evidence, stated) => {
    const inventory = inventoryNow();
    if (inventory === undefined) throw new Error('evidence came before there were any policies');
    const { meshes } = inventory;
    const proving = new Proving<keyof Evidence>(authorities, meshes);
    if (evidence.certificate !== undefined)
      proving.certificates('certificate', certificates(evidence.certificate));
    if (evidence.xfcc !== undefined) {
      const element = chosenIn(evidence.xfcc, xfcc);
      if (!element.ok) proving.refuse('xfcc', element.refusal);
      else proveXfcc('xfcc', element.value, proving, meshes, certificates);
    }
    const conclude = (): Identification => {
      if (evidence.ip !== undefined) proving.address('ip', evidence.ip);
      const cluster = clusterNow?.();
      const facts = known(inventory);
      const { alone } = proving;
      if (alone !== undefined && clusterNow === undefined) return byId(alone, facts, proving);
      const proof = { ...proving.proof, ...saidIn(stated) };
      const found = identify(proof, { ...facts, ...(cluster === undefined ? {} : { cluster }) });
      return identification(found, proving, clusterNow !== undefined && cluster === undefined);
    };
    // Only tokens take time: of clients that were seen before all else is known.
    return evidence.jwt === undefined ? conclude() : proving.token('jwt', evidence.jwt).then(conclude);
  };
}

/** The identity that a caller states, in whichever field: whether it is one is looked at where it is decided. */
function saidIn(stated: RequestSource = {}): { readonly said?: Said } {
  const { spiffeId, tags = {}, attributes = {} } = stated;
  const id = spiffeId ?? textOf(attributes, keys.spiffeId) ?? textOf(attributes, keys.trustDomain);
  if (id === undefined) return Object.keys(tags).length === 0 ? {} : { said: 'no-pod' };
  const parsed = SpiffeId.parse(id);
  return { said: parsed.ok ? parsed.value : 'no-pod' };
}

type Named = Proving<keyof Evidence>;

/** What follows from an ID alone is the same at each request of its certificate. */
function identifiedById(): (id: SpiffeId, known: Known, proving: Named) => Identification {
  const kept = new WeakMap<SpiffeId, { readonly known: Known; readonly made: Identification }>();
  return (id, known, proving) => {
    const one = kept.get(id);
    if (one?.known === known && one.made.validUntil === proving.validUntil) return one.made;
    const made = identification(identify({ spiffeId: id }, known), proving, false);
    kept.set(id, { known, made });
    return made;
  };
}

function identification(
  all: Identified,
  { conflicts, refused, validUntil }: Named,
  stale: boolean,
): Identification {
  const found = conflicts.length === 0 ? all : { ...all, conflicts: [...conflicts, ...all.conflicts] };
  return {
    source: requestSource(all),
    conflicts: found.conflicts.map(({ key }) => key),
    refused,
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(stale ? { stale } : {}),
    found,
  };
}

/** Worked out once for each inventory. */
function knownNow(): (inventory: Inventory) => Known {
  const byInventory = new WeakMap<Inventory, Known>();
  return (inventory) => {
    let known = byInventory.get(inventory);
    if (known === undefined) {
      known = knownOf(inventory);
      byInventory.set(inventory, known);
    }
    return known;
  };
}

const begin = '-----BEGIN CERTIFICATE-----';

/** A PEM may be percent-encoded, as proxies hand it over; DER in base64 is the one block of one. */
export function inPem(text: string): string {
  if (!hasBlocks(text)) return `${begin}\n${text}\n-----END CERTIFICATE-----`;
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    // No certificate comes of a broken encoding, and that is what is then said.
    return text;
  }
}

function hasBlocks(text: string): boolean {
  return text.includes('-----');
}

function readCertificates(text: string): Checked<readonly Certificate[]> {
  if (!hasBlocks(text) && !isBase64(text))
    return refuse(
      'encoding',
      'got neither PEM nor base64, want certificates in PEM, or the DER of one in base64',
    );
  return readPem(inPem(text), 1 + limits.intermediates);
}

const mostKept = 1_000;
/** Characters of all that is kept together. */
const mostText = 16_777_216;

/**
 * The same few clients are asked about again and again, and reading a certificate is more than deciding. What is no
 * certificate is as much work, and stays none.
 */
export function certificateReader(
  read: (text: string) => Checked<readonly Certificate[]> = readCertificates,
): (text: string) => Checked<readonly Certificate[]> {
  const recent = new Recent<string, Checked<readonly Certificate[]>>(mostKept, mostText);
  return (text) => {
    const kept = recent.get(text);
    if (kept !== undefined) return kept;
    const made = read(text);
    recent.set(text, made);
    return made;
  };
}
