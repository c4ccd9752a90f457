import { encoder } from './encoding.ts';

/**
 * Several images of a workload as the one value that an attribute can have: sorted by code unit, joined with
 * `,`, base64 of UTF-8. One image is written as it is.
 */
export function encodeImages(images: readonly string[]): string {
  return images.length === 1 ? images[0]! : base64(encoder.encode([...images].sort().join(',')));
}

export const imageKeys = {
  containers: 'k8s:container-image',
  initContainers: 'k8s:init-container-image',
} as const;

/** A container of a workload, with the digest that runs, if that is known. */
export interface ContainerImage {
  readonly name: string;
  readonly image: string;
  readonly digest?: string | undefined;
}

/** All images as one value, and one a container, so that a sidecar does not change what a policy asks for. */
export function addImages(
  attributes: Map<string, string>,
  key: string,
  containers: readonly ContainerImage[],
  images: readonly string[] = containers.map(({ image }) => image),
): void {
  if (images.length > 0) attributes.set(key, encodeImages(images));
  const digests: string[] = [];
  for (const { name, image, digest } of containers) {
    attributes.set(`${key}:${name}`, image);
    if (digest === undefined) continue;
    attributes.set(`${key}-digest:${name}`, digest);
    digests.push(digest);
  }
  if (digests.length > 0 && digests.length === images.length)
    attributes.set(`${key}-digest`, encodeImages(digests));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** RFC 4648 §4, with padding. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += alphabet[group >> 18]! + alphabet[(group >> 12) & 63]!;
    text += left > 1 ? alphabet[(group >> 6) & 63]! : '=';
    text += left > 2 ? alphabet[group & 63]! : '=';
  }
  return text;
}
