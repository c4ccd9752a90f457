import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect } from 'vitest';
import { bootstrapDocument } from '../../../src/envoy/export/documents.ts';
import { withoutTls } from '../../../src/envoy/export/listener.ts';
import type { Exported, ExportOptions } from '../../../src/envoy/export/types.ts';
import { filesIn } from '../../../src/envoy/export/wiring.ts';
import { both } from '../../envoy/export/world.ts';
import { live } from '../../live.ts';
import { generate } from '../../oracle/generate.ts';
import {
  type Authority,
  authority,
  type Certificate,
  svid,
  tagCertificate,
} from '../../support/certificates/index.ts';
import { start } from '../../support/envoy/process.ts';
import { envoyMissing, validate } from '../../support/envoy/program.ts';

/** Whole bootstraps in a real Envoy: that it takes them, and that they have what the filters rely on. */

const nowhere = { host: '127.0.0.1', port: 1 };
const wiring = { listen: nowhere, upstream: nowhere, ...filesIn('/tls') };
const tagWorld = [
  { type: 'Mesh', name: 'm', certificates: 'tags' },
  { type: 'Dataplane', mesh: 'm', name: 'd', inbounds: [{ port: 80, protocol: 'http' }] },
  {
    type: 'MeshTrafficPermission',
    mesh: 'm',
    name: 'p',
    spec: { from: [{ targetRef: { kind: 'MeshService', name: 'web' }, default: { action: 'Allow' } }] },
  },
];
const idWorld = [
  { type: 'Mesh', name: 'm', trustDomains: ['m'] },
  { type: 'Dataplane', mesh: 'm', name: 'd', inbounds: [{ port: 80, protocol: 'http' }] },
  {
    type: 'MeshTrafficPermission',
    mesh: 'm',
    name: 'p',
    spec: { default: { allow: [{ spiffeId: { type: 'Exact', value: 'spiffe://m/web' } }] } },
  },
];

/** Answers of two requests over two connections, the second of which offers the session of the first. */
async function twice(port: number, client: Certificate): Promise<{ statuses: string[]; reused: boolean }> {
  const statuses: string[] = [];
  let session: Buffer | undefined;
  let reused = false;
  for (let i = 0; i < 2; i++) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect({
        port,
        cert: client.chain,
        key: client.key,
        maxVersion: 'TLSv1.2',
        rejectUnauthorized: false,
        ...(session === undefined ? {} : { session }),
      });
      let answer = '';
      socket.on('session', (made) => {
        session ??= made;
      });
      socket.on('secureConnect', () => {
        reused ||= socket.isSessionReused();
        socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
      });
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        statuses.push(answer.split(' ')[1] ?? 'none');
        resolve();
      });
    });
  }
  return { statuses, reused };
}

async function ofBootstrap(exported: Exported, signer: Authority, change: (text: string) => string) {
  const own = await svid(signer, 'spiffe://m/server');
  const envoy = await start({
    bootstrap: (folder) => {
      mkdirSync(join(folder, 'bundles'));
      writeFileSync(join(folder, 'cert.pem'), own.chain);
      writeFileSync(join(folder, 'key.pem'), own.key);
      writeFileSync(join(folder, 'bundles/m.pem'), signer.bundle);
      const listen = { host: '127.0.0.1', port: 0 };
      const log = join(folder, 'log');
      const document = bootstrapDocument(exported, { ...wiring, ...filesIn(folder), listen, accessLog: log });
      return JSON.parse(change(JSON.stringify(document)));
    },
  });
  const { listener_statuses } = JSON.parse(await envoy.admin('/listeners?format=json'));
  return { envoy, port: listener_statuses[0].local_address.socket_address.port_value as number };
}

describe('exported bootstraps', () => {
  live(
    envoyMissing,
    '[ENV3] [ENV15] [ENV16] are taken as they are, in every form',
    () => {
      const options: readonly ExportOptions[] = [
        { form: 'tree' },
        { form: 'list' },
        { form: 'list', shadow: 'paper' },
        { minimise: false, filter: 'network', allowNarrower: true },
      ];
      for (const [at, option] of options.entries()) {
        const { exporter } = both(
          ...generate(at + 1, 0, 40).documents.filter(({ kind, type }) => (type ?? kind) !== 'Dataplane'),
          {
            type: 'Dataplane',
            name: 'd',
            labels: { app: 'web' },
            inbounds: [{ port: 80, ...(option.filter === 'network' ? {} : { protocol: 'http' }) }],
          },
          {
            type: 'MeshTrafficPermission',
            name: 'sni',
            spec: { default: { deny: [{ sni: { type: 'Exact', value: 'a.mesh' } }] } },
          },
        );
        const exported = exporter.export({ mesh: 'default', dataplane: 'd' }, option, 'unknown');
        expect([option, validate(withoutTls(bootstrapDocument(exported, wiring)))]).toEqual([
          option,
          undefined,
        ]);
      }
      const tags = both(...tagWorld).exporter.export({ mesh: 'm', dataplane: 'd' });
      expect(validate(withoutTls(bootstrapDocument(tags, wiring)))).toBeUndefined();
    },
    120_000,
  );

  live(
    envoyMissing,
    '[ENV15] resume no session: Envoy would take certificates of tags for not validated, and look at no other',
    async () => {
      const signer = await authority('m');
      const tags = { world: tagWorld, client: await tagCertificate(signer, 'm', ['web']) };
      const ids = { world: idWorld, client: await svid(signer, 'spiffe://m/web') };
      const resumption = /"disable_state(?:less|ful)_session_resumption":true,?/g;
      const resuming = (text: string) => text.replace(resumption, '');
      const same = (text: string) => text;
      for (const [{ world, client }, change, expected] of [
        // Nothing is upstream: what is let in is answered 503.
        [tags, same, { statuses: ['503', '503'], reused: false }],
        [tags, resuming, { statuses: ['503', '403'], reused: true }],
        [ids, same, { statuses: ['503', '503'], reused: false }],
        [ids, resuming, { statuses: ['503', '503'], reused: true }],
      ] as const) {
        const exported = both(...world).exporter.export({ mesh: 'm', dataplane: 'd' });
        const { envoy, port } = await ofBootstrap(exported, signer, change);
        try {
          expect(await twice(port, client)).toEqual(expected);
        } finally {
          await envoy.stop();
        }
      }
    },
    120_000,
  );
});
