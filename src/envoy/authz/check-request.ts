import type { Mutable } from '../../pdp/model/mutable.ts';
import { KeptTexts, names, values } from '../wire/kept-texts.ts';
import { WireReader } from '../wire/reader.ts';
import { readStruct, type Struct } from './struct.ts';

/** What an Envoy says of a request or a connection, as far as anybody here asks. */
export interface Check {
  readonly source: Peer;
  readonly destination: Peer;
  /** Not given: a connection, of which there is nothing but its ends. */
  readonly http?: Http | undefined;
  readonly extensions: ReadonlyMap<string, string>;
  readonly metadata: ReadonlyMap<string, Struct>;
  /** Undefined: nothing is said of the TLS session. Empty: it has no server name. */
  readonly sni?: string | undefined;
}

export interface Peer {
  readonly address?: string | undefined;
  readonly labels: ReadonlyMap<string, string>;
  /** The first URI, else the first DNS name, else the subject of the certificate: which of them is not said. */
  readonly principal?: string | undefined;
  /** PEM, percent-encoded. */
  readonly certificate?: string | undefined;
}

export interface Http {
  readonly method?: string | undefined;
  /** With its query. */
  readonly path?: string | undefined;
}

/** The same few clients are asked about again and again. */
const certificates = new KeptTexts(1_024, 16_384);
const principals = new KeptTexts(1_024, 2_048);

interface MutableCheck extends Mutable<Check> {
  readonly source: Mutable<Peer>;
  readonly destination: Mutable<Peer>;
  http: Mutable<Http> | undefined;
}

/** Of most there is nothing. */
const noTexts: ReadonlyMap<string, string> = new Map();
const noMetadata: ReadonlyMap<string, Struct> = new Map();

function noPeer(): Mutable<Peer> {
  return { address: undefined, labels: noTexts, principal: undefined, certificate: undefined };
}

/** `namespaces`: whose metadata is wanted. */
export function readCheck(bytes: Buffer, namespaces: ReadonlySet<string>): Check {
  const check: MutableCheck = {
    source: noPeer(),
    destination: noPeer(),
    http: undefined,
    extensions: noTexts,
    metadata: noMetadata,
    sni: undefined,
  };
  const reader = new WireReader(bytes);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readAttributes(reader, check, namespaces);
    else reader.skip();
  }
  return check;
}

// Each of these reads the message in the field that the reader stands at.

function readAttributes(reader: WireReader, check: MutableCheck, namespaces: ReadonlySet<string>): void {
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readPeer(reader, check.source);
    else if (field === 2) readPeer(reader, check.destination);
    else if (field === 4) readRequest(reader, check);
    else if (field === 10) check.extensions = withEntry(reader, check.extensions);
    else if (field === 11) check.metadata = withMetadata(reader, check.metadata, namespaces);
    else if (field === 12) readSession(reader, check);
    else reader.skip();
  }
  reader.leave(outer);
}

function readPeer(reader: WireReader, peer: Mutable<Peer>): void {
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readAddress(reader, peer);
    else if (field === 3) peer.labels = withEntry(reader, peer.labels);
    else if (field === 4) peer.principal = given(reader.kept(principals));
    else if (field === 5) peer.certificate = given(reader.kept(certificates));
    else reader.skip();
  }
  reader.leave(outer);
}

/** In protobuf an empty string is one that is not there. */
function given(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function readAddress(reader: WireReader, peer: Mutable<Peer>): void {
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readSocket(reader, peer);
    else reader.skip();
  }
  reader.leave(outer);
}

function readSocket(reader: WireReader, peer: Mutable<Peer>): void {
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) peer.address = given(reader.text());
    else reader.skip();
  }
  reader.leave(outer);
}

function readRequest(reader: WireReader, check: MutableCheck): void {
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) {
      check.http ??= { method: undefined, path: undefined };
      readHttp(reader, check.http);
    } else reader.skip();
  }
  reader.leave(outer);
}

function readHttp(reader: WireReader, http: Mutable<Http>): void {
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) http.method = given(reader.kept(names));
    else if (field === 4) http.path = given(reader.text());
    else reader.skip();
  }
  reader.leave(outer);
}

function readSession(reader: WireReader, check: MutableCheck): void {
  const outer = reader.enter();
  check.sni ??= '';
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) check.sni = reader.text();
    else reader.skip();
  }
  reader.leave(outer);
}

function withEntry(reader: WireReader, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const outer = reader.enter();
  let key = '';
  let value = '';
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.kept(names);
    else if (field === 2) value = reader.kept(values);
    else reader.skip();
  }
  reader.leave(outer);
  return add(before, key, value);
}

function add<V>(before: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> {
  const into = before.size === 0 ? new Map<string, V>() : (before as Map<string, V>);
  return into.set(key, value);
}

function withMetadata(
  reader: WireReader,
  before: ReadonlyMap<string, Struct>,
  namespaces: ReadonlySet<string>,
): ReadonlyMap<string, Struct> {
  const outer = reader.enter();
  let found = before;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) found = withNamespace(reader, found, namespaces);
    else reader.skip();
  }
  reader.leave(outer);
  return found;
}

function withNamespace(
  reader: WireReader,
  before: ReadonlyMap<string, Struct>,
  namespaces: ReadonlySet<string>,
): ReadonlyMap<string, Struct> {
  const outer = reader.enter();
  let namespace = '';
  // Whether it is wanted is known when all of the entry is.
  let value: number | undefined;
  for (let part = reader.next(); part !== 0; part = reader.next()) {
    if (part === 1) namespace = reader.kept(names);
    else if (part === 2) value = reader.place();
    else reader.skip();
  }
  let found = before;
  if (value !== undefined && namespaces.has(namespace)) {
    const entry = reader.enterAt(value);
    found = add(found, namespace, readStruct(reader));
    reader.leave(entry);
  }
  reader.leave(outer);
  return found;
}
