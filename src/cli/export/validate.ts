import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEnvoy } from '../../envoy/binary/envoy-path.ts';
import type { JsonObject } from '../../envoy/export/json.ts';
import { withoutTls } from '../../envoy/export/listener.ts';
import { filesIn, type Wiring } from '../../envoy/export/wiring.ts';
import { exit, Failure } from '../failure.ts';

const address = { host: '127.0.0.1', port: 1 };
/** For filters that are no part of a bootstrap. */
export const nowhere: Wiring = { listen: address, upstream: address, ...filesIn('/etc/placet/tls') };

/**
 * Whether Envoy itself takes a bootstrap: `--mode validate` binds nothing and sends nothing. The files of certificates
 * are where the proxy runs, so they are left out here.
 */
export function validate(bootstrap: JsonObject): void {
  const envoy = findEnvoy(process.env);
  if (envoy === undefined)
    throw new Failure(
      exit.problems,
      'no Envoy is there to validate with',
      'placet envoy path installs one; ENVOY_BIN names another',
    );
  const folder = mkdtempSync(join(tmpdir(), 'placet-validate-'));
  try {
    const file = join(folder, 'envoy.json');
    writeFileSync(file, JSON.stringify(withoutTls(bootstrap)));
    const run = spawnSync(envoy, ['--mode', 'validate', '-c', file, '--log-level', 'error'], {
      encoding: 'utf8',
    });
    if (run.status === 0) return;
    const said = `${run.stderr}${run.stdout}`.trim().split('\n').slice(-3).join('\n');
    throw new Failure(exit.problems, 'Envoy does not take this configuration', said.slice(0, 2_000));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
