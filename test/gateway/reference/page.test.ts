import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../src/gateway/openapi/operations.ts';
import { html, prose } from '../../../src/gateway/reference/html.ts';
import { pageOf } from '../../../src/gateway/reference/page.ts';
import { fixture, open, type World } from '../authzen/world.ts';

let world: World;
let page: string;
let policy: string;
beforeAll(async () => {
  world = await open(fixture('certification.yaml'), { callers: { caller: () => undefined } });
  const response = await fetch(`${world.url}/docs`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  policy = response.headers.get('content-security-policy') ?? '';
  page = await response.text();
});
afterAll(() => world.close());

describe('the page of the reference', () => {
  test('[API5] has no script, loads nothing, and allows no more than its own style sheet', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|style="|javascript:|url\(|@import/i);
    const [style] = /(?<=<style>)[^<]*(?=<\/style>)/.exec(page) ?? [];
    const hash = createHash('sha256')
      .update(style ?? '')
      .digest('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  test('[API5] has every operation, every schema, and no link that leads nowhere', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ id }) => id)));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id as string);
    expect([...new Set(links)].filter((id) => !ids.includes(id))).toEqual([]);
    expect([...page.matchAll(/href="(?!#)([^"]+)"/g)].map(([, href]) => href)).toEqual(['/openapi.json']);
  });

  test('[API5] can be read aloud: a language, a title, one heading of each rank above the next, headed tables', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toMatch(/<title>Placet \d/);
    expect([...page.matchAll(/<h1/g)]).toHaveLength(1);
    const ranks = [...page.slice(page.indexOf('<main')).matchAll(/<h([1-6])/g)].map(([, rank]) =>
      Number(rank),
    );
    for (const [i, rank] of ranks.entries()) expect(rank - (ranks[i - 1] ?? 0)).toBeLessThanOrEqual(1);
    expect(page.match(/<table>/g)).toHaveLength(
      page.match(/<table><thead><tr><th scope="col">/g)?.length ?? 0,
    );
    expect(page).not.toContain('<th scope="col"></th>');
  });

  test('[API5] every line for a shell names this service, and does what it says', async () => {
    const lines = [...page.matchAll(/<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, line]) =>
      (line as string).replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    );
    const bodies = operations.flatMap(({ body }) => Object.keys(body?.examples ?? {})).length;
    expect(lines).toHaveLength(operations.filter(({ body }) => body === undefined).length + bodies);
    for (const line of lines) {
      const [, url = '', , data] =
        /^curl -s (?:-I |-X [A-Z]+ )?'([^']+)'(?: -H 'x-[^']+')*( -H 'content-type: application\/json' -d '([^']*)')?$/.exec(
          line,
        ) ?? [];
      expect(url.startsWith(`${world.url}/`)).toBe(true);
      if (data !== undefined) expect(() => JSON.parse(data)).not.toThrow();
    }
  });

  test('[API5] what comes from outside is escaped', () => {
    const evil = `'"><script>alert(1)</script>&`;
    expect(html`<p>${evil}</p>`.html).toBe(
      '<p>&#39;&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;</p>',
    );
    expect(prose(`a \`${evil}\``).html).not.toContain('<script');
    const document = {
      info: { title: evil, version: evil, summary: evil, description: evil },
      tags: [{ name: evil, description: evil }],
      paths: {
        [evil]: {
          post: {
            operationId: evil,
            tags: [evil],
            summary: evil,
            description: evil,
            parameters: [{ name: evil, in: evil, description: evil, required: true, schema: { type: evil } }],
            requestBody: {
              content: { 'application/json': { schema: { enum: [evil] }, examples: { a: { value: evil } } } },
            },
            responses: { 200: { description: evil, content: { [evil]: { schema: {} } } } },
          },
        },
      },
      components: { schemas: { [evil]: { properties: { [evil]: { const: evil, description: evil } } } } },
    };
    const text = pageOf(document, evil);
    expect(text).not.toContain('<script');
    expect(text.match(/alert\(1\)/g)?.length).toBeGreaterThan(15);
  });
});
