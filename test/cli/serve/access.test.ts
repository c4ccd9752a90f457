import { expect, test } from 'vitest';
import { accessOf } from '../../../src/cli/serve/access.ts';
import { type Address, readAddress } from '../../../src/cli/serve/address.ts';
import { configSchema } from '../../../src/cli/serve/config-schema.ts';

const near = { socket: true, roles: ['decide'] };
const far = { spiffeId: 'spiffe://td/gateway', roles: ['decide'] };
const settings = {
  listen: '0.0.0.0:8420',
  envoy: { listen: 'unix:/x' },
  tls: { certificate: 'cert.pem', key: 'key.pem' },
  bundles: { td: 'td.pem' },
  callers: [near, far],
};

function at(given: object, listen: string) {
  return accessOf(configSchema.parse(given), readAddress(listen) as Address, listen);
}

test('[CALL6] rules for whoever is near hold at the port that is near, and at no other', () => {
  expect(at(settings, '0.0.0.0:8420')).toEqual([far]);
  expect(at(settings, 'unix:/x')).toEqual([near, far]);
  const other = { ...settings, envoy: { listen: '127.0.0.1:1' } };
  for (const listen of ['0.0.0.0:8420', '127.0.0.1:1'])
    expect(() => at(other, listen)).toThrow(
      'got callers by "socket" and listen 0.0.0.0:8420 and envoy.listen 127.0.0.1:1',
    );
  const turned = { ...settings, listen: 'unix:/x', envoy: { listen: '0.0.0.0:8421' } };
  expect([at(turned, 'unix:/x'), at(turned, '0.0.0.0:8421')]).toEqual([[near, far], [far]]);
});
