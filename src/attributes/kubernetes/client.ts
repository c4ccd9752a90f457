import type { IncomingMessage, RequestOptions } from 'node:http';
import { request } from 'node:https';
import { getSystemErrorMessage } from 'node:util';
import type { KubeConfig } from '@kubernetes/client-node';

/** The API server, seen through whatever credentials we have. */
export interface Api {
  /** Answers with the response once its head is there, whatever its status. */
  send(path: string, options?: Sending): Promise<IncomingMessage>;
  /** Where it is, for messages. */
  readonly server: string;
}

export interface Sending {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Milliseconds that nothing may come for. */
  readonly timeout?: number;
  /** Once its head is there, the answer may be quiet for however long. */
  readonly quiet?: boolean;
}

export interface Credentials {
  /** A kubeconfig file; not given: what a pod has, else `KUBECONFIG` and the user's own. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

const idleTimeout = 30_000;

/**
 * Kubeconfigs, tokens in files that change, certificates and helpers that make credentials are the official client's
 * trade. It is asked anew for each request, so that a token that was renewed is used.
 */
export async function connect(credentials: Credentials = {}): Promise<Api> {
  const { KubeConfig } = await client();
  const config = new KubeConfig();
  const server = serverOf(config, credentials);
  return {
    server,
    async send(path, { method = 'GET', body, signal, timeout = idleTimeout, quiet = false } = {}) {
      const options: RequestOptions = {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        timeout,
        ...(signal === undefined ? {} : { signal }),
      };
      await config.applyToHTTPSOptions(options);
      return await answer(new URL(path, server), options, quiet, body);
    },
  };
}

/** What the client takes where there is nothing that names a cluster. */
const nowhere = 'http://localhost:8080';

function serverOf(config: KubeConfig, { kubeconfig, context }: Credentials): string {
  const named = kubeconfig ?? (process.env['KUBECONFIG'] || undefined);
  const where = named === undefined ? '' : `${named}: `;
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    const { errno, message } = error as NodeJS.ErrnoException;
    // The lines below the first show the file, and what is in it is secret.
    throw new Error(
      where +
        (errno === undefined
          ? `got no kubeconfig: ${message.split('\n')[0]}`
          : `cannot be read: ${getSystemErrorMessage(errno)}`),
    );
  }
  if (context !== undefined) config.setCurrentContext(context);
  const server = config.getCurrentCluster()?.server;
  if (named === undefined && server === nowhere)
    throw new Error('got neither a kubeconfig nor the service account of a pod, want one of them');
  if (server?.startsWith('https://') === true && URL.canParse(server)) return server;
  if (server !== undefined) throw new Error(`${where}got the API server ${server}, want one at https://`);
  const current = config.getCurrentContext();
  const got = current ? `the context ${JSON.stringify(current)}` : 'no current context';
  const known = config.getContexts().map(({ name }) => name);
  throw new Error(
    `${where}got ${got}, want ${known.length === 0 ? 'one with a cluster' : `one of ${known.join(', ')}`}`,
  );
}

function answer(url: URL, options: RequestOptions, quiet: boolean, body: unknown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      if (quiet) response.socket.setTimeout(0);
      resolve(response);
    });
    sent.on('timeout', () => sent.destroy(new Error('the API server did not answer in time')));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** It is large and most do not need it, so it is installed by those who do. */
async function client(): Promise<typeof import('@kubernetes/client-node')> {
  try {
    return await import('@kubernetes/client-node');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'following a cluster needs the package @kubernetes/client-node, which is not installed (npm install @kubernetes/client-node)',
    );
  }
}
