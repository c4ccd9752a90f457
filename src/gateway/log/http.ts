import { readFile } from 'node:fs/promises';
import type { Carrier } from './outlet.ts';

export interface HttpTarget {
  readonly url: string;
  /** A file with the value of `authorization`, read anew for each batch. */
  readonly authorizationFile?: string;
  readonly timeout: number;
}

/** Lines as a batch of newline-delimited JSON to a collector. */
export function httpCarrier({ url, authorizationFile, timeout }: HttpTarget): Carrier {
  return {
    async carry(text) {
      const authorization =
        authorizationFile === undefined ? undefined : (await readFile(authorizationFile, 'utf8')).trim();
      const answer = await fetch(url, {
        method: 'POST',
        body: text,
        redirect: 'error',
        headers: {
          'content-type': 'application/x-ndjson',
          ...(authorization === undefined ? {} : { authorization }),
        },
        signal: AbortSignal.timeout(timeout),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
    },
    close: async () => undefined,
  };
}
