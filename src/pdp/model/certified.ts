import { type Channel, type CompletePrefixes, channelOf, type RequestSource } from './request.ts';
import type { TagIdentity } from './tag-certificate.ts';

/** What a verified certificate alone says of its client: the rest is unknown, not absent (SPEC WHO1, WHO5). */

/** What it carries, and says that there is not, is attested. */
export const certificateChannel: Channel = { ...channelOf('relay'), ceiling: 'attested' };

/** A tag mesh's has all tags of its workload, and no SPIFFE ID; of what Kubernetes says it says nothing. */
export const tagCertificate: CompletePrefixes = { 'kuma:tag:': 'attested', 'spiffe:': 'attested' };

export function certifiedTags({ mesh, tags }: TagIdentity): RequestSource {
  return { mesh, tags, complete: tagCertificate };
}
