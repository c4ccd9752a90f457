import { z } from 'zod';
import { readAddress } from './address.ts';

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

/** AuthZEN §9.1.1 wants no query and no fragment; paths are put behind it. */
export const publicUrl = z.string().refine(isPublicUrl, {
  message: 'want https://host, without a query, a fragment, or a slash at its end',
  params: { code: 'value' },
});

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return false;
  return (url.pathname === '/' ? url.origin : url.origin + url.pathname) === text && !text.endsWith('/');
}

/** Where to listen. */
export function address(description: string) {
  return z
    .string()
    .refine((text) => readAddress(text) !== undefined, {
      message: 'want host:port, [address]:port or unix:/path',
      params: { code: 'value' },
    })
    .meta({ description });
}
