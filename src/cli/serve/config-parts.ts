import { z } from 'zod';
import { nameOf, onlyOne } from '../../pdp/model/words.ts';
import type { Flaw } from '../../policy/schema/flaw.ts';
import { lastPort, readAddress } from './address.ts';

/** What settings are made of. */

/** Paths: in a file they are meant from where the file is. */
export const paths = new WeakSet<z.ZodType>();

export function path(description: string) {
  const schema = z.string().min(1).meta({ description });
  paths.add(schema);
  return schema;
}

export function seconds(least: number, most: number, description: string) {
  return z.number().min(least).max(most).meta({ description });
}

export function count(least: number, most: number, description: string) {
  return z.int().min(least).max(most).meta({ description });
}

export function share(description: string) {
  return z.number().min(0).max(1).meta({ description });
}

/** One of which more is wanted than that it is text. */
export function text(isWanted: (text: string) => boolean, want: string) {
  return refused((got) => (isWanted(got) ? undefined : { message: `got ${nameOf(got)}, want ${want}` }));
}

type Fault = Pick<Flaw, 'message' | 'hint'>;

export function refused(faultOf: (text: string) => Fault | undefined) {
  return z.string().superRefine((got, context) => {
    const fault = faultOf(got);
    if (fault === undefined) return;
    const { message, hint } = fault;
    const params = { code: 'value', ...(hint === undefined ? {} : { hint }) };
    context.addIssue({ code: 'custom', message, params });
  });
}

/** Of some fields, one and no other. */
export function exactlyOne<K extends string>(of: readonly K[]) {
  return (value: { readonly [F in K]?: unknown }, context: z.RefinementCtx): void => {
    const wrong = onlyOne(
      of.filter((field) => value[field] !== undefined),
      of,
    );
    if (wrong === undefined) return;
    const { code, message } = wrong;
    context.addIssue({ code: 'custom', message, params: { code } });
  };
}

/** AuthZEN §9.1.1 wants no query and no fragment; paths are put behind it. */
export const publicUrl = text(
  isPublicUrl,
  'https://host, without a query, a fragment, or a slash at its end',
);

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return false;
  return (url.pathname === '/' ? url.origin : url.origin + url.pathname) === text && !text.endsWith('/');
}

/** Where to listen. */
export function address(description: string) {
  return refused(noAddress).meta({ description });
}

function noAddress(text: string): Fault | undefined {
  if (readAddress(text) !== undefined) return undefined;
  const [, host, port] = /^(\D.*:|)(\d+)$/.exec(text) ?? [];
  if (port !== undefined && Number(port) > lastPort)
    return { message: `got the port ${port} in ${nameOf(text)}, want one from 0 to ${lastPort}` };
  const message = `got ${nameOf(text)}, want host:port, [address]:port or unix:/path`;
  return host === '' ? { message, hint: `this machine alone is 127.0.0.1:${port}` } : { message };
}
