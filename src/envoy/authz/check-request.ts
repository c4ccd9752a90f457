import { KeptTexts, names } from './kept-texts.ts';
import { readStruct, type Struct } from './struct.ts';
import { WireReader } from './wire-reader.ts';

/** What an Envoy says of a request or a connection, as far as anybody here asks. */
export interface Check {
  readonly source: Peer;
  readonly destination: Peer;
  /** Not given: a connection, of which there is nothing but its ends. */
  readonly http?: Http | undefined;
  readonly extensions: ReadonlyMap<string, string>;
  readonly metadata: ReadonlyMap<string, Struct>;
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

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

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
  const request = new WireReader(bytes);
  for (let field = request.next(); field !== 0; field = request.next()) {
    if (field === 1) readAttributes(request.message(), check, namespaces);
    else request.skip();
  }
  return check;
}

function readAttributes(reader: WireReader, check: MutableCheck, namespaces: ReadonlySet<string>): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readPeer(reader.message(), check.source);
    else if (field === 2) readPeer(reader.message(), check.destination);
    else if (field === 4) readRequest(reader.message(), check);
    else if (field === 10) check.extensions = withEntry(reader.message(), check.extensions);
    else if (field === 11) check.metadata = withMetadata(reader.message(), check.metadata, namespaces);
    else if (field === 12) readSession(reader.message(), check);
    else reader.skip();
  }
}

function readPeer(reader: WireReader, peer: Mutable<Peer>): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readAddress(reader.message(), peer);
    else if (field === 3) peer.labels = withEntry(reader.message(), peer.labels);
    else if (field === 4) peer.principal = given(reader.text());
    else if (field === 5) peer.certificate = given(reader.kept(certificates));
    else reader.skip();
  }
}

/** In protobuf an empty string is one that is not there. */
function given(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function readAddress(reader: WireReader, peer: Mutable<Peer>): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip();
    else {
      const socket = reader.message();
      for (let part = socket.next(); part !== 0; part = socket.next()) {
        if (part === 2) peer.address = given(socket.text());
        else socket.skip();
      }
    }
  }
}

function readRequest(reader: WireReader, check: MutableCheck): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 2) reader.skip();
    else {
      const http = reader.message();
      check.http ??= { method: undefined, path: undefined };
      for (let part = http.next(); part !== 0; part = http.next()) {
        if (part === 2) check.http.method = given(http.text());
        else if (part === 4) check.http.path = given(http.text());
        else http.skip();
      }
    }
  }
}

function readSession(reader: WireReader, check: MutableCheck): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) check.sni = given(reader.text());
    else reader.skip();
  }
}

function withEntry(reader: WireReader, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let [key, value] = ['', ''];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.kept(names);
    else if (field === 2) value = reader.text();
    else reader.skip();
  }
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
  let found = before;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip();
    else {
      const entry = reader.message();
      let namespace = '';
      let value: WireReader | undefined;
      for (let part = entry.next(); part !== 0; part = entry.next()) {
        if (part === 1) namespace = entry.kept(names);
        else if (part === 2) value = entry.message();
        else entry.skip();
      }
      if (value !== undefined && namespaces.has(namespace)) found = add(found, namespace, readStruct(value));
    }
  }
  return found;
}
