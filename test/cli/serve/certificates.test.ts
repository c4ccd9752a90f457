import { expect, test } from 'vitest';
import { certificateReader } from '../../../src/cli/serve/evidence.ts';
import { limits } from '../../../src/pdp/model/limits.ts';

test('[SVC3] a certificate is read once, however long its company is, and so is what is none', () => {
  const read: string[] = [];
  const reader = certificateReader((pem) => {
    read.push(pem);
    return { ok: false, refusal: { code: 'encoding', message: 'got none' } };
  });
  const longest = 'a'.repeat(limits.certificateBytes * 2 * (1 + limits.intermediates));
  expect(reader(longest)).toBe(reader(longest));
  expect(reader('short')).toBe(reader('short'));
  expect(read).toEqual([longest, 'short']);
  // What is kept is bounded by its length too.
  for (let n = 0; n < 60; n++) reader(`${n}${longest.slice(0, -2)}`);
  read.length = 0;
  reader(longest);
  expect(read).toHaveLength(1);
});

test.each([
  ['x', /^got neither PEM nor base64, want certificates in PEM, or the DER of one in base64$/],
  [
    '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----',
    /^got a PEM block that is no base64 \(block 1\)$/,
  ],
  ['eA==', /^(?!.*PEM)/],
])('[SVC3] what is no certificate is named as it came: %j', (text, message) => {
  const read = certificateReader()(text);
  expect(read.ok ? 'read' : read.refusal.message).toMatch(message);
});
