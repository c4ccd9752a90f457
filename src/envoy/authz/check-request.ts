import { readStruct, type Struct } from './struct.ts';
import { WireReader } from './wire-reader.ts';

/** What an Envoy says of a request or a connection, as far as anybody here asks. */
export interface Check {
  readonly source: Peer;
  readonly destination: Peer;
  /** Not given: a connection, of which there is nothing but its ends. */
  readonly http?: Http;
  readonly extensions: ReadonlyMap<string, string>;
  readonly metadata: ReadonlyMap<string, Struct>;
  readonly sni?: string;
}

export interface Peer {
  readonly address?: string;
  readonly labels: ReadonlyMap<string, string>;
  /** The first URI, else the first DNS name, else the subject of the certificate: which of them is not said. */
  readonly principal?: string;
  /** PEM, percent-encoded. */
  readonly certificate?: string;
}

export interface Http {
  readonly method?: string;
  /** With its query. */
  readonly path?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface MutableCheck {
  source: MutablePeer;
  destination: MutablePeer;
  http?: Mutable<Http>;
  extensions: Map<string, string>;
  metadata: Map<string, Struct>;
  sni?: string;
}

type MutablePeer = Mutable<Omit<Peer, 'labels'>> & { labels: Map<string, string> };

/** `namespaces`: whose metadata is wanted. */
export function readCheck(bytes: Buffer, namespaces: ReadonlySet<string>): Check {
  const check: MutableCheck = {
    source: { labels: new Map() },
    destination: { labels: new Map() },
    extensions: new Map(),
    metadata: new Map(),
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
    else if (field === 10) readEntry(reader.message(), check.extensions);
    else if (field === 11) readMetadata(reader.message(), check.metadata, namespaces);
    else if (field === 12) readSession(reader.message(), check);
    else reader.skip();
  }
}

function readPeer(reader: WireReader, peer: MutablePeer): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readAddress(reader.message(), peer);
    else if (field === 3) readEntry(reader.message(), peer.labels);
    else if (field === 4) setText(peer, 'principal', reader.text());
    else if (field === 5) setText(peer, 'certificate', reader.text());
    else reader.skip();
  }
}

/** In protobuf an empty string is one that is not there. */
function setText<K extends string>(into: { [key in K]?: string }, key: K, text: string): void {
  if (text === '') delete into[key];
  else into[key] = text;
}

function readAddress(reader: WireReader, peer: MutablePeer): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip();
    else {
      const socket = reader.message();
      for (let part = socket.next(); part !== 0; part = socket.next()) {
        if (part === 2) setText(peer, 'address', socket.text());
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
      check.http ??= {};
      for (let part = http.next(); part !== 0; part = http.next()) {
        if (part === 2) setText(check.http, 'method', http.text());
        else if (part === 4) setText(check.http, 'path', http.text());
        else http.skip();
      }
    }
  }
}

function readSession(reader: WireReader, check: MutableCheck): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) setText(check, 'sni', reader.text());
    else reader.skip();
  }
}

function readEntry(reader: WireReader, into: Map<string, string>): void {
  let [key, value] = ['', ''];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.text();
    else if (field === 2) value = reader.text();
    else reader.skip();
  }
  into.set(key, value);
}

function readMetadata(reader: WireReader, into: Map<string, Struct>, namespaces: ReadonlySet<string>): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field !== 1) reader.skip();
    else {
      const entry = reader.message();
      let namespace = '';
      let value: WireReader | undefined;
      for (let part = entry.next(); part !== 0; part = entry.next()) {
        if (part === 1) namespace = entry.text();
        else if (part === 2) value = entry.message();
        else entry.skip();
      }
      if (value !== undefined && namespaces.has(namespace)) into.set(namespace, readStruct(value));
    }
  }
}
