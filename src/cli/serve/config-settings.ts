import type { Bounds } from '../../gateway/listen.ts';
import type { Settings } from '../../gateway/service.ts';
import type { Config } from './config-schema.ts';

/** The configuration as the parts of the service take it. */

export function settingsOf({ ttl, limits, publicUrl, extAuthz }: Config): Settings {
  return {
    ttl,
    bodyBytes: limits.body,
    batchBytes: limits.batchBody,
    extAuthz,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  };
}

export function boundsOf({ limits }: Config): Bounds {
  const { concurrency, connections, header, turn, headTime, requestTime, idleTime } = limits;
  return {
    concurrency,
    connections,
    headerBytes: header,
    turn: turn * 1_000,
    headTime: headTime * 1_000,
    requestTime: requestTime * 1_000,
    idleTime: idleTime * 1_000,
  };
}
