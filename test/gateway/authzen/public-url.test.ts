import { expect, test } from 'vitest';
import { configSchema } from '../../../src/cli/serve/config-schema.ts';
import { settingsOf } from '../../../src/cli/serve/config-settings.ts';

const read = (publicUrl?: string) => configSchema.safeParse(publicUrl === undefined ? {} : { publicUrl });

test.each(['https://pdp.example.com', 'https://pdp.example.com:8443', 'https://pdp.example.com/tenant1'])(
  '[AZ35] the service may be called %s',
  (publicUrl) => {
    expect(settingsOf(configSchema.parse({ publicUrl })).publicUrl).toBe(publicUrl);
    expect(settingsOf(configSchema.parse({})).publicUrl).toBeUndefined();
  },
);

test.each([
  'pdp.example.com',
  'http://pdp.example.com',
  'https://pdp.example.com/',
  'https://pdp.example.com/a/',
  'https://pdp.example.com?a',
  'https://pdp.example.com/#a',
  'https://me:you@pdp.example.com',
  'https://PDP.example.com',
  '',
])('[AZ35] and not %s', (publicUrl) => {
  expect(read(publicUrl).success).toBe(false);
});
