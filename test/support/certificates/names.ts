import type { Certificate } from './certificate.ts';

/** What a certificate calls its holder, in its order, as a proxy reads it. */
export interface Names {
  readonly uriSans: readonly string[];
  readonly dnsSans: readonly string[];
  /** As RFC 2253 writes it. */
  readonly subject?: string;
}

/** Node writes `URI:a, DNS:b`, and in quotes, as JSON, what could be taken for something else. */
export function namesOf({ leaf }: Certificate): Names {
  const names = [...(leaf.subjectAltName ?? '').matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g)];
  const of = (kind: string) =>
    names
      .filter(([, type]) => type === kind)
      .map(([, , text = '']) => (text.startsWith('"') ? String(JSON.parse(text)) : text));
  return {
    uriSans: of('URI'),
    dnsSans: of('DNS'),
    ...(leaf.subject ? { subject: leaf.subject.split('\n').reverse().join(',') } : {}),
  };
}
