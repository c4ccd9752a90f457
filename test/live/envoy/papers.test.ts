import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { live } from '../../live.ts';
import { authority, svid, tagCertificate } from '../../support/certificates/index.ts';
import { openLab } from '../../support/envoy/lab.ts';
import type { Filter } from '../../support/envoy/listeners.ts';
import { envoyMissing, envoyProgram } from '../../support/envoy/program.ts';
import { temporary } from '../../support/envoy/temporary.ts';
import { trustedCa } from '../../support/envoy/trust.ts';

/** The goldens of the two papers, as they are in their files, in a real Envoy. */

const golden = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../envoy/export/papers', `${name}.golden.yaml`), 'utf8');

/** What Envoy has against the text itself, with its own reader of YAML. */
function faultsOf(text: string): string | undefined {
  const folder = temporary();
  try {
    const file = join(folder.path, 'envoy.yaml');
    writeFileSync(file, `${before}${text.replace(/^(?=.)/gm, ' '.repeat(10))}${after}`);
    const args = ['--mode', 'validate', '-c', file, '-l', 'error', '--disable-hot-restart'];
    const { status, stdout, stderr } = spawnSync(envoyProgram(), args, { encoding: 'utf8' });
    return status === 0 ? undefined : stderr + stdout;
  } finally {
    folder.remove();
  }
}

const before = `static_resources:
  listeners:
    - name: papers
      address: {socket_address: {address: 127.0.0.1, port_value: 1}}
      filter_chains:
        - filters:
`;
const after = `          - name: echo
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo}
`;

describe('the goldens of the papers', () => {
  live(envoyMissing, '[ENV7] [ENV9] [ENV16] are configuration that Envoy takes as it is', () => {
    for (const name of ['000', '000-corrected', '001', '001-exact'])
      expect([name, faultsOf(golden(name))]).toEqual([name, undefined]);
    expect(faultsOf(golden('000').replaceAll('or_matcher', 'or_match'))).toContain('or_match');
  });

  live(
    envoyMissing,
    '[ENV7] [ENV9] decide as the papers say, and count in the shadow as they draw it',
    async () => {
      const signers = [await authority('trust-domain.mesh'), await authority('mesh-1')] as const;
      const specs = ['000', '000-corrected', '001', '001-exact'].map((name) => ({
        name,
        kind: 'network' as const,
        filters: parse(golden(name)) as Filter[],
        trust: trustedCa(...signers),
      }));
      const lab = await openLab(specs);
      try {
        const said = async (listener: string, certificate: Awaited<ReturnType<typeof svid>>) => {
          const { verdict, rbac } = await lab.knock(listener, { certificate });
          const shadow = Object.entries(rbac).find(([key]) => key.endsWith('shadow_engine_result'))?.[1];
          return `${verdict}, shadow ${shadow}`;
        };
        const by = async (path: string) => svid(signers[0], `spiffe://trust-domain.mesh${path}`);
        for (const [path, paper, corrected] of [
          ['/ns/default/sa/frontend', 'deny, shadow denied', 'deny, shadow denied'],
          ['/ns/default/sa/api-gateway', 'deny, shadow denied', 'deny, shadow denied'],
          ['/ns/legacy/sa/x', 'allow, shadow denied', 'allow, shadow denied'],
          // What nothing of the paper's shadow matcher names it counts as denied.
          ['/ns/default/sa/x', 'allow, shadow denied', 'allow, shadow allowed'],
        ] as const) {
          const certificate = await by(path);
          expect([path, await said('000', certificate)]).toEqual([path, paper]);
          expect([path, await said('000-corrected', certificate)]).toEqual([path, corrected]);
        }
        for (const [tags, paper, exact] of [
          [{ 'kuma.io/zone': ['us-east'], env: ['dev'] }, 'allow, shadow denied', 'allow, shadow allowed'],
          [{ 'kuma.io/zone': ['us-east'], env: ['qa'] }, 'deny, shadow allowed', 'deny, shadow allowed'],
          [{ 'kuma.io/zone': ['eu'], env: ['dev'] }, 'allow, shadow denied', 'allow, shadow allowed'],
          [{ env: ['qa'] }, 'deny, shadow denied', 'deny, shadow denied'],
        ] as const) {
          const certificate = await tagCertificate(signers[1], 'mesh-1', ['api'], tags);
          expect([tags, await said('001', certificate)]).toEqual([tags, paper]);
          expect([tags, await said('001-exact', certificate)]).toEqual([tags, exact]);
        }
        const web = await tagCertificate(signers[1], 'mesh-1', ['web'], { 'kuma.io/service': ['web'] });
        expect(await said('001', web)).toBe('allow, shadow denied');
        expect(await said('001-exact', web)).toBe('allow, shadow denied');
      } finally {
        await lab.stop();
      }
    },
    60_000,
  );
});
