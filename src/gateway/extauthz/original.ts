import { pathBefore } from '../../pdp/model/path.ts';
import type { RequestParts } from '../../pdp/model/request.ts';

/** Headers of a request by name, each as often as it was sent. */
export type Distinct = NodeJS.Dict<string[]>;

const methodHeaders = ['x-forwarded-method', 'x-original-method'] as const;
const targetHeaders = ['x-forwarded-uri', 'x-original-uri', 'x-original-url'] as const;

/**
 * The request that a proxy asks about, by its headers. Which of them a proxy writes, and which it passes on as a client
 * sends them, nobody can tell from here; so all that are there must say the same. Undefined: they do not.
 */
export function originalOf(headers: Distinct): RequestParts | undefined {
  const methods = new Set(methodHeaders.flatMap((name) => headers[name] ?? []));
  const targets = new Set(targetHeaders.flatMap((name) => headers[name] ?? []).map(pathIn));
  if (methods.size > 1 || targets.size > 1 || targets.has(undefined)) return undefined;
  const [method] = methods;
  const [path] = targets;
  return {
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path: pathBefore(path) }),
  };
}

/** Of a whole URL what is behind the host, which must look like one: a client says which host it means. */
function pathIn(target: string): string | undefined {
  return target.startsWith('/') ? target : /^https?:\/\/[\w.:[\]-]+(\/.*)$/is.exec(target)?.[1];
}
