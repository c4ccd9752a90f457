import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '../live/service/process.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const text = (path: string): string => readFileSync(join(root, path), 'utf8');

export interface Place {
  readonly path: string;
  remove(): void;
}

/** A folder as `/etc/placet` is to be: certificates by the commands of the README, the policies, the configuration. */
export function etc(configuration: string): Place {
  const path = mkdtempSync(join(tmpdir(), 'placet-deploy-'));
  cpSync(join(root, configuration), join(path, 'placet.yaml'));
  cpSync(join(root, 'policies'), join(path, 'policies'), { recursive: true });
  for (const line of text('deploy/README.md').matchAll(/^placet (pki .*)$/gm))
    execFileSync(process.execPath, [main, ...line[1]!.split(' ')], { cwd: path });
  return { path, remove: () => rmSync(path, { recursive: true }) };
}

/** What a gateway with a certificate, or without one, is answered. */
export function decide(url: string, etc: string, client?: string): Promise<number> {
  const pem = (name: string) => readFileSync(join(etc, 'tls', name));
  const own = client === undefined ? {} : { cert: pem(`${client}.pem`), key: pem(`${client}-key.pem`) };
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...own,
        agent: new Agent(),
        host: '127.0.0.1',
        port,
        path: '/decide',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ca: pem('mesh.example.pem'),
        checkServerIdentity: () => undefined,
      },
      (reply) => {
        reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
      },
    );
    asked.on('error', reject);
    asked.end('{"destination": {"service": "shadow/api"}}');
  });
}
