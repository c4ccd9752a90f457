import type { Mesh } from './inventory.ts';
import { limits } from './limits.ts';
import { decodePart, encodePart } from './percent.ts';
import type { RequestSource } from './request.ts';
import { serviceTag } from './rule.ts';
import { spiffeIdFault } from './spiffe-id.ts';
import type { Violation, ViolationCode } from './violation.ts';

/**
 * Who a certificate of a tag mesh names (SPEC CERT1–CERT5): URI SANs `spiffe://<mesh>/<service>`, one for each of its
 * services, and `kuma://<tag>/<value>`, one for each value of each tag. Such a certificate is no X509-SVID.
 */
export type TagIdentity = Required<Pick<RequestSource, 'mesh' | 'tags'>>;

export type TagCertificate =
  | { readonly identity: TagIdentity }
  /** All that is wrong with it; a path is the place of a URI among those given. */
  | { readonly violations: readonly Violation[] };

const spiffe = 'spiffe://';
const kuma = 'kuma://';

/** As it is read: without a value, what the URIs of all values of the tag begin with. */
export function tagUri(tag: string, value: string): string {
  return `${kuma}${tag.split('/').map(encodePart).join('/')}/${encodePart(value)}`;
}

/** All URIs of a certificate that names a mesh and tags. Whether it may name them says whoever reads them. */
export function tagCertificateUris(mesh: string, tags: ReadonlyMap<string, readonly string[]>): string[] {
  const services = tags.get(serviceTag) ?? [];
  return [
    ...services.map((service) => `${spiffe}${mesh}/${service}`),
    ...[...tags].flatMap(([tag, values]) => values.map((value) => tagUri(tag, value))),
  ];
}

export function readTagCertificate(
  uris: readonly string[],
  meshes: ReadonlyMap<string, Pick<Mesh, 'certificates'>>,
): TagCertificate {
  const violations: Violation[] = [];
  const add = (path: Violation['path'], code: ViolationCode, message: string, hint?: string): void => {
    violations.push({ path, code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const most = limits.attributes * limits.tagValues;
  if (uris.length > most) {
    add([], 'limit', `got ${uris.length} URIs, want at most ${most}`);
    return { violations };
  }
  const meshNames = new Map<string, number>();
  const services = new Map<string, number>();
  const tags = new Map<string, Map<string, number>>();
  for (const [at, uri] of uris.entries()) {
    if (uri.startsWith(spiffe)) {
      const fault = serviceFault(uri);
      if (fault !== undefined) add([at], 'spiffe-id', fault);
      else {
        const slash = uri.indexOf('/', spiffe.length);
        first(meshNames, uri.slice(spiffe.length, slash), at);
        first(services, uri.slice(slash + 1), at);
      }
    } else if (uri.startsWith(kuma)) {
      const tag = tagOf(uri.slice(kuma.length));
      if ('message' in tag) add([at], 'value', tag.message, tag.hint);
      else {
        const values = tags.get(tag.key) ?? new Map<string, number>();
        tags.set(tag.key, values);
        first(values, tag.value, at);
      }
    } else add([at], 'value', `got ${quote(uri)}, want a URI that starts with "${spiffe}" or "${kuma}"`);
  }
  if (violations.length === 0) disagreements(meshNames, services, tags, meshes, add);
  if (violations.length > 0) return { violations };
  tags.set(serviceTag, services);
  const [mesh] = meshNames.keys();
  const listed = [...tags].map(([key, values]) => [key, [...values.keys()]] as const);
  return { identity: { mesh: mesh as string, tags: Object.fromEntries(listed) } };
}

type Add = (path: Violation['path'], code: ViolationCode, message: string, hint?: string) => void;

/** What is wrong with URIs of which each is right by itself. */
function disagreements(
  meshNames: ReadonlyMap<string, number>,
  services: ReadonlyMap<string, number>,
  tags: ReadonlyMap<string, ReadonlyMap<string, number>>,
  meshes: ReadonlyMap<string, Pick<Mesh, 'certificates'>>,
  add: Add,
): void {
  const [one, ...others] = meshNames;
  if (one === undefined) {
    return add([], 'missing', `got no "${spiffe}" URI, want "${spiffe}<mesh>/<service>": it names the mesh`);
  }
  const [mesh, place] = one;
  for (const [other, at] of others)
    add(
      [at],
      'conflict',
      `got the mesh ${quote(other)}, want ${quote(mesh)} as in the first URI that names one`,
    );
  const known = meshes.get(mesh);
  if (known === undefined) add([place], 'reference', `got the mesh ${quote(mesh)}, which no document names`);
  else if (known.certificates !== 'tags') {
    const message = `got a certificate of tags for the mesh ${quote(mesh)}, whose clients carry SPIFFE IDs`;
    add([place], 'conflict', message, 'write "certificates: tags" in the Mesh document if they do not');
  }
  const named = tags.get(serviceTag);
  for (const [service, at] of named ?? []) {
    if (services.has(service)) continue;
    const message = `got the service ${quote(service)}, which no "${spiffe}" URI names`;
    add([at], 'conflict', message);
  }
  for (const [service, at] of services) {
    if (named === undefined || named.has(service)) continue;
    add([at], 'conflict', `got the service ${quote(service)}, which no "${kuma}${serviceTag}/" URI names`);
  }
  if (tags.size > limits.attributes)
    add([], 'limit', `got ${tags.size} tags, want at most ${limits.attributes}`);
  for (const [key, values] of [...tags, [serviceTag, services] as const])
    if (values.size > limits.tagValues)
      add([], 'limit', `got ${values.size} values of ${quote(key)}, want at most ${limits.tagValues}`);
}

function serviceFault(uri: string): string | undefined {
  const fault = spiffeIdFault(uri);
  if (fault !== undefined) return fault.message;
  const segments = uri.slice(spiffe.length).split('/').length - 1;
  if (segments === 1) return undefined;
  return `got a path of ${segments} segments, want one, the name of the service`;
}

interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The last slash parts tag and value: a slash in a value is written `%2F`. */
function tagOf(text: string): Tag | { readonly message: string; readonly hint?: string } {
  const slash = text.lastIndexOf('/');
  if (slash < 1) return { message: `got ${quote(text)}, want "<tag>/<value>"` };
  const parts: string[] = [];
  for (const written of [...text.slice(0, slash).split('/'), text.slice(slash + 1)]) {
    if (written === '') return { message: `got an empty part in ${quote(text)}, want "<tag>/<value>"` };
    const part = decodePart(written);
    if (part.ok) parts.push(part.text);
    else return part;
  }
  const value = parts.pop() as string;
  const key = parts.join('/');
  // Each part may be right by itself: only a value has slashes that are escaped.
  const normal = tagUri(key, value).slice(kuma.length);
  if (normal !== text)
    return { message: `got ${quote(text)}, which has another spelling`, hint: `write ${quote(normal)}` };
  if (key.length > limits.attributeKeyBytes)
    return { message: `got a tag of ${key.length} characters, want at most ${limits.attributeKeyBytes}` };
  if (value.length > limits.attributeValueBytes)
    return {
      message: `got a value of ${value.length} characters, want at most ${limits.attributeValueBytes}`,
    };
  return { key, value };
}

/** What stands twice means no more than once. */
function first(among: Map<string, number>, text: string, at: number): void {
  if (!among.has(text)) among.set(text, at);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
