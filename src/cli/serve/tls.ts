import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { secured } from '../../gateway/listen.ts';
import { exit, Failure } from '../failure.ts';
import { unreadBecause } from '../path-words.ts';
import type { Config } from './config-schema.ts';

export interface KeyPair {
  readonly cert: Buffer | string;
  readonly key: Buffer | string;
}

interface FilePair extends KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Files = Exclude<NonNullable<Config['tls']>, 'workload-api'>;

/** A certificate and its key that may be exchanged while they are in use. */
export interface Pairs {
  readonly first: KeyPair;
  /** Gives each new pair to a server, for connections to come. Returns what ends it. */
  follow(server: Server, log: (line: string) => void): () => void;
}

/** What the configuration asks for; undefined: nothing is encrypted. */
export async function pairsFor(
  { tls }: Config,
  workload: { pairs(): Promise<Pairs> } | undefined,
): Promise<Pairs | undefined> {
  if (tls === undefined) return undefined;
  if (tls !== 'workload-api') return filePairs(tls);
  if (workload === undefined)
    throw new Failure(
      exit.usage,
      'tls: no Workload API was named',
      'set workloadApi, or SPIFFE_ENDPOINT_SOCKET',
    );
  return await workload.pairs();
}

function filePairs(files: Files): Pairs {
  const first = openPair(files);
  return { first, follow: (server, log) => followPair(files, first, server, log).close };
}

/** The certificate and its key; an error if they are no good together. */
function readPair({ certificate, key }: Files): FilePair {
  const pair = { cert: readFileSync(certificate), key: readFileSync(key) };
  createSecureContext(pair);
  return pair;
}

export function openPair(files: Files): FilePair {
  try {
    return readPair(files);
  } catch (error) {
    throw new Failure(exit.problems, `tls: ${files.certificate}, ${files.key}: ${reasonOf(error)}`);
  }
}

/** What OpenSSL says names neither key nor certificate. */
function reasonOf(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? (code ?? message) : unreadBecause(error);
}

/**
 * Takes a new pair into use when the files change, for connections to come; those that are open go on. Until both
 * files are of one pair, which they are not while somebody writes them, the last good pair stays.
 */
export function followPair(
  files: Files,
  first: FilePair,
  server: Server,
  log: (line: string) => void,
  interval = 1_000,
): { close(): void } {
  let [now, complaint] = [first, ''];
  const timer = setInterval(() => {
    try {
      const next = readPair(files);
      complaint = '';
      if (next.cert.equals(now.cert) && next.key.equals(now.key)) return;
      server.setSecureContext({ ...secured, ...next });
      now = next;
      log('tls: the new certificate is in use');
    } catch (error) {
      const why = reasonOf(error);
      if (why !== complaint) log(`tls: the last good certificate stays in use: ${why}`);
      complaint = why;
    }
  }, interval);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
