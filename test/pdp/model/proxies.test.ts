import { expect, test } from 'vitest';
import { destinationSaid } from '../../../src/pdp/model/proxies.ts';
import { both } from '../../envoy/export/world.ts';

test('[REQ3] a proxy that says a dataplane and a service asks for neither', () => {
  const { engine } = both(
    { type: 'Dataplane', mesh: 'm', name: 'd', inbounds: [{ port: 80 }] },
    { type: 'Service', name: 'pay', namespace: 'shop' },
  );
  const reason = (said: Parameters<typeof destinationSaid>[0]) => {
    const destination = destinationSaid(said);
    return engine.decide({ source: { spiffeId: 'spiffe://td/a' }, destination: destination as object })
      .reason;
  };
  expect(reason({ mesh: 'm', dataplane: 'd' })).toBe('default');
  expect(reason({ service: 'shop/pay' })).toBe('default');
  expect(reason({ mesh: 'm', dataplane: 'd', service: 'shop/pay' })).toBe('invalid-request');
  expect(destinationSaid({ mesh: 'm' })).toBeUndefined();
});
