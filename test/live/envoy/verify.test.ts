import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { run } from '../../cli/world.ts';
import { both } from '../../envoy/export/world.ts';
import * as spiffe from '../../envoy/verify/spiffe-world.ts';
import * as tokens from '../../envoy/verify/token-world.ts';
import { live } from '../../live.ts';
import { authority } from '../../support/certificates/index.ts';
import { openLab } from '../../support/envoy/lab.ts';
import { envoyMissing } from '../../support/envoy/program.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { spiffeBundles, trustedCa } from '../../support/envoy/trust.ts';

/** What a running Envoy says that it has. */

describe('a running Envoy', () => {
  live(
    envoyMissing,
    '[VER13] its dump is read as it is, from a file and from its admin interface',
    async () => {
      const [td, partner] = [await authority('td'), await authority('partner')];
      const { exporter } = both(...spiffe.documents);
      const { filters } = exporter.export(spiffe.destination);
      const common = { kind: 'http', filters } as const;
      const lab = await openLab([
        { ...common, name: 'good', trust: spiffeBundles(td, partner) },
        { ...common, name: 'one-ca', trust: trustedCa(td, partner) },
      ]);
      const folder = temporary();
      const dump = await lab.envoy.admin('/config_dump');
      await lab.stop();
      const admin = createServer((request, response) => {
        response.statusCode = request.url === '/config_dump' ? 200 : 404;
        response.end(request.url === '/config_dump' ? dump : '');
      });
      try {
        const policies = join(folder.path, 'policies.json');
        const file = join(folder.path, 'dump.json');
        writeFileSync(policies, JSON.stringify(spiffe.documents));
        writeFileSync(file, dump);
        await new Promise<void>((resolve) => void admin.listen(0, '127.0.0.1', resolve));
        const url = `http://127.0.0.1:${(admin.address() as AddressInfo).port}`;
        const verify = (listener: string, ...from: string[]) =>
          run([
            ...['verify', 'envoy', '-p', policies, '-d', 'shop/web-1', '--listener', listener],
            ...['--max-requests', '20000', ...from],
          ]);
        for (const from of [
          ['--config', file],
          ['--admin', url],
        ]) {
          const good = await verify('good', ...from);
          expect(good.out + good.err).toContain('as the policies say');
          expect(good.code).toBe(0);
          const bad = await verify('one-ca', ...from);
          expect(bad.out).toContain('fails      trust-bundles');
          expect(bad.code).toBe(1);
        }
        const lost = await verify('good', '--admin', `${url}/elsewhere`);
        expect(lost.err).toContain('answered 404');
        expect(lost.code).toBe(1);
      } finally {
        admin.close();
        folder.remove();
      }
    },
    120_000,
  );

  live(
    envoyMissing,
    '[VER13] [VER16] its dump of filters for tokens is read as it is, and of others it says what they are',
    async () => {
      const [us, ap] = [await authority('us-1.example'), await authority('ap-1.example')];
      const { filters } = both(...tokens.documents).exporter.export(tokens.destination, {
        attributes: 'jwt',
      });
      const common = { kind: 'http', trust: spiffeBundles(us, ap) } as const;
      const lab = await openLab([
        { ...common, name: 'good', filters },
        { ...common, name: 'no-script', filters: filters.filter(({ name }) => !name.endsWith('.lua')) },
      ]);
      const folder = temporary();
      const dump = await lab.envoy.admin('/config_dump');
      await lab.stop();
      try {
        const policies = join(folder.path, 'policies.json');
        const file = join(folder.path, 'dump.json');
        writeFileSync(policies, JSON.stringify(tokens.documents));
        writeFileSync(file, dump);
        const verify = (listener: string) =>
          run([
            ...['verify', 'envoy', '-p', policies, '--service', 'shop/pay', '--attributes', 'jwt'],
            ...['--config', file, '--listener', listener],
          ]);
        const good = await verify('good');
        expect(good.out + good.err).toContain('as the policies say');
        expect(good.out).not.toContain('fails');
        expect(good.code).toBe(0);
        const bad = await verify('no-script');
        expect(bad.out).toContain('fails      token-checks: got no filter in Lua');
        expect(bad.code).toBe(1);
      } finally {
        folder.remove();
      }
    },
    120_000,
  );
});
