import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Authority,
  type Issued,
  makeAuthority,
  makeSvid,
  makeTagCertificate,
  readAuthority,
  type Validity,
} from '../../attributes/x509/make.ts';
import { pushTo } from '../../pdp/model/lists.ts';
import { isOfSite } from '../../pdp/model/of-site.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { SpiffeId, TrustDomain } from '../../pdp/model/spiffe-id.ts';
import { readTagCertificate, tagCertificateUris } from '../../pdp/model/tag-certificate.ts';
import { exit, Failure } from '../failure.ts';
import { pairFlag } from '../pair.ts';
import { textOf } from '../path-words.ts';
import type { Terminal } from '../terminal/output.ts';
import { printable } from '../terminal/plain.ts';

interface Made {
  readonly out: string;
  readonly hours: string;
}
interface Signed extends Made {
  readonly authority: string;
}

export async function pkiAuthority(terminal: Terminal, name: string, flags: Made): Promise<number> {
  const parsed = TrustDomain.parse(name);
  if (!parsed.ok) throw new Failure(exit.usage, `${name}: no trust domain: ${parsed.fault.message}`);
  return await write(terminal, flags.out, name, await makeAuthority(name, validity(flags)));
}

export async function pkiSvid(
  terminal: Terminal,
  id: string,
  flags: Signed & { site?: readonly string[] },
): Promise<number> {
  const parsed = SpiffeId.parse(id);
  if (!parsed.ok) throw new Failure(exit.usage, `${id}: no SPIFFE ID: ${parsed.fault.message}`);
  if (parsed.value.path === '')
    throw new Failure(exit.usage, `${id}: names a trust domain, want the ID of a workload`);
  const site =
    flags.site === undefined ? undefined : new Map(flags.site.map((one) => pairFlag('--site', one)));
  for (const key of site?.keys() ?? [])
    if (!isOfSite(key))
      throw new Failure(
        exit.usage,
        `--site ${key}: no attribute of a site`,
        'they begin with site: or cl:site:, or are cl:fabric',
      );
  const issued = await makeSvid(await authorityOf(flags), id, validity(flags), site);
  return await write(terminal, flags.out, fileName(parsed.value.path.slice(1)), issued);
}

export async function pkiTags(
  terminal: Terminal,
  mesh: string,
  service: string,
  flags: Signed & { tag?: readonly string[] },
): Promise<number> {
  const tags = new Map<string, string[]>([[serviceTag, [service]]]);
  for (const one of flags.tag ?? []) {
    const [key, value] = pairFlag('--tag', one);
    pushTo(tags, key, value);
  }
  checkTags(mesh, tags);
  const issued = await makeTagCertificate(await authorityOf(flags), mesh, tags, validity(flags));
  return await write(terminal, flags.out, fileName(service), issued);
}

/** What nobody could read is not written. */
function checkTags(mesh: string, tags: ReadonlyMap<string, readonly string[]>): void {
  const uris = tagCertificateUris(mesh, tags);
  const read = readTagCertificate(uris, new Map([[mesh, { certificates: 'tags' }]]));
  if ('identity' in read) return;
  const wrong = read.violations.map(({ path: [at], message }) =>
    at === undefined ? message : `${uris[at as number]}: ${message}`,
  );
  const hint = 'in a certificate mesh and service are a SPIFFE ID of one segment, and each tag is a URI';
  throw new Failure(exit.usage, wrong.join('; '), hint);
}

function validity({ hours }: Made): Validity {
  const count = Number(hours);
  if (!(count > 0 && count <= 24 * 365 * 10))
    throw new Failure(exit.usage, `--hours ${hours}: no number of hours`, 'a number up to 87600, ten years');
  const now = Date.now();
  // A minute back, for clocks that differ.
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + count * 3_600_000) };
}

async function authorityOf({ authority }: Signed): Promise<Authority> {
  const hint = `its key is expected in ${keyOf(authority)}`;
  const certificate = textOf(authority);
  const key = textOf(keyOf(authority), hint);
  try {
    return await readAuthority(certificate, key);
  } catch {
    throw new Failure(
      exit.problems,
      `${authority}: cannot be signed with: no certificate with its key`,
      hint,
    );
  }
}

function keyOf(certificate: string): string {
  return certificate.replace(/(\.pem)?$/, '-key.pem');
}

function fileName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]+/g, '-');
}

async function write(
  terminal: Terminal,
  folder: string,
  name: string,
  { certificate, key }: Issued,
): Promise<number> {
  const file = join(folder, `${name}.pem`);
  mkdirSync(folder, { recursive: true });
  try {
    // The key first, and for its owner alone: a certificate without its key is of no use to anybody.
    writeFileSync(keyOf(file), key, { mode: 0o600, flag: 'wx' });
    writeFileSync(file, certificate, { flag: 'wx' });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw new Failure(
      exit.problems,
      `${path ?? file}: ${code === 'EEXIST' ? 'is there already, and is not overwritten' : code}`,
    );
  }
  await terminal.out.line(printable(file));
  await terminal.out.line(printable(keyOf(file)));
  return exit.ok;
}
